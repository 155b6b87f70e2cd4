import { assertEquals } from "@std/assert";
import { sessionQuery, sessionsAddress, wordExpression } from "./session_query.ts";

Deno.test("sessionQuery() leaves out what it does not understand", () => {
  const query = sessionQuery(new URLSearchParams("q=a++b&only=all&from=yesterday&page=-3&x=1"));
  assertEquals(query, {
    words: ["a", "b"],
    host: "",
    server: "",
    tool: "",
    folder: "",
    only: "",
    from: "",
    to: "",
    page: 1,
  });
});

Deno.test("sessionsAddress() prints what sessionQuery() reads", () => {
  const address = "/?q=find+%22x%26y%22&only=errors&host=desk+3&page=2";
  const { search } = new URL(address, "http://localhost");
  const query = sessionQuery(new URLSearchParams(search));
  assertEquals(sessionQuery(new URLSearchParams(sessionsAddress(query).slice(1))), query);
  assertEquals(query.words, ["find", '"x&y"']);
});

Deno.test("wordExpression() quotes a word, and has none for signs alone", () => {
  assertEquals(wordExpression('a"b OR c'), '"a""b OR c"*');
  assertEquals(wordExpression("--"), undefined);
});
