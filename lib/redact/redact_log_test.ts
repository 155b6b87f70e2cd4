import { assert, assertEquals } from "@std/assert";
import { parseLog } from "../log/parse_log.ts";
import { answer, call, says, scriptLog } from "../../tests/util/script_log.ts";
import { Redactor } from "./redact_log.ts";

const hash = (form: string) =>
  [...form].reduce((n, c) => (n * 31 + c.charCodeAt(0)) % 2 ** 44, 7).toString(16).padStart(12, "0")
    .slice(-12);

const LOG = scriptLog([
  [0, "context", says("user", "Where is #W123? I am Lea, lea@post.example.")],
  [1, "client", call(1, "find", { email: "lea@post.example" })],
  [2, "server", answer(1, "u_7")],
  [3, "client", call(2, "get", { id: "u_7", deep: { zip: 12345, n: 2 } })],
  [4, "server", answer(2, '{"orders":["#W123"],"name":"Lea"}')],
  [5, "server", "raw u_7"],
]);

Deno.test("Redactor hides rare values alike wherever they stand, and keeps the frame", () => {
  const redactor = new Redactor({ hash });
  redactor.learn(LOG);
  const text = redactor.rewrite(LOG);
  assertEquals(/W123|lea@|u_7|12345/i.test(text), false);
  const { lines } = parseLog(text);
  assertEquals(
    lines.map((line) => [line.t_ms, line.from]),
    LOG.lines.map((line) => [line.t_ms, line.from]),
  );
  const order = redactor.hidden.get("w123");
  const mail = redactor.hidden.get("lea@post.example");
  assert(order !== undefined && mail !== undefined && /\d/.test(order) && mail.endsWith("@h"));
  assertEquals(text.split(order).length, 3);
  assertEquals(text.split(mail).length, 3);
  assertEquals(redactor.survivors(text), []);
});

Deno.test("Redactor keeps what many sessions share", () => {
  const redactor = new Redactor({ hash, keepShared: 1 });
  redactor.learn(LOG);
  assertEquals(redactor.rewrite(LOG).includes("lea@post.example"), true);
  assertEquals(redactor.counts.hidden, 0);
});

Deno.test("survivors() names a value that is still there, by its pseudonym", () => {
  const redactor = new Redactor({ hash });
  redactor.learn(LOG);
  const text = redactor.rewrite(LOG);
  const leak = text +
    JSON.stringify({ t_ms: 9, from: "server", message: { result: { note: "see #W123." } } }) + "\n";
  assertEquals(redactor.survivors(leak), [redactor.hidden.get("w123")]);
});

Deno.test("rewriteArguments() hides arguments and leaves the decision", () => {
  const redactor = new Redactor({ hash });
  redactor.learn(LOG);
  const line = { action: "lookup", tool: "get", arguments: { id: "u_7" }, prob: 0.5 };
  redactor.rewrite(LOG);
  assertEquals(redactor.rewriteArguments(line), {
    ...line,
    arguments: { id: redactor.hidden.get("u_7") },
  });
});
