import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { contextLine, type ContextMessage, Conversation } from "./conversation.ts";

const encoder = new TextEncoder();
const YES = '{"role":"user","content":"Yes"}\n';
const ASK = '{"role":"assistant","content":"Hold P-7?"}\n';

function reader() {
  const bad: string[] = [];
  const conversation = new Conversation((line, why) => bad.push(`${line}: ${why}`));
  const push = (text: string) =>
    conversation.push(encoder.encode(text)).map((m) => `${m.role}: ${m.content}`);
  return { bad, push, conversation };
}

Deno.test("Conversation gives out messages as their lines end", () => {
  const { push, bad } = reader();
  assertEquals(push(ASK + YES.slice(0, 20)), ["assistant: Hold P-7?"]);
  assertEquals(push(YES.slice(20, -1)), []);
  assertEquals(push("\r\n\n"), ["user: Yes"]);
  assertEquals(bad, []);
});

Deno.test("Conversation joins a list of texts and ignores other roles", () => {
  const { push, bad } = reader();
  const parts = '[{"type":"text","text":"Yes"},{"type":"image"},{"type":"text","text":"please"}]';
  assertEquals(push(`{"role":"user","content":${parts}}\n{"role":"system","content":1}\n`), [
    "user: Yes\nplease",
  ]);
  assertEquals(bad, []);
});

Deno.test.each<{ line: string; why: string }>([
  { line: "{", why: "it is not JSON" },
  { line: "[1]", why: "it has no role" },
  { line: '{"role":"user"}', why: "its content is no text" },
  { line: '{"role":7,"content":"x"}', why: "it has no role" },
])("Conversation skips $line: $why", ({ line, why }) => {
  const { push, bad } = reader();
  assertEquals([push(`\n${line}\n${YES}`), bad], [["user: Yes"], [`2: ${why}`]]);
});

Deno.test("Conversation skips bytes that are not UTF-8 and lines without an end", () => {
  const { push, bad, conversation } = reader();
  conversation.push(new Uint8Array([0x22, 0xff, 0x22, 10]));
  const flood = "x".repeat(3_000_000);
  assertEquals([push(flood), push(flood), push(`${flood}\n${YES}`)], [[], [], ["user: Yes"]]);
  assertEquals(bad, ["1: it is not JSON", "2: it is longer than 4194304 bytes"]);
});

Deno.test("Conversation gives out nothing twice when its file begins anew", () => {
  const { push, conversation } = reader();
  const more = '{"role":"user","content":"And P-8"}\n';
  push(ASK + YES);
  conversation.restart();
  assertEquals(push(ASK), []);
  assertEquals(push(YES + more), ["user: And P-8"]);
  conversation.restart();
  assertEquals(push(YES + more), ["user: Yes", "user: And P-8"]);
});

Deno.test("Conversation gives the same messages however its bytes are cut", () => {
  const message = fc.record<ContextMessage>({
    role: fc.constantFrom("user", "assistant"),
    content: fc.string({ unit: "binary" }).map((text) => text.toWellFormed()),
  }, { noNullPrototype: true });
  fc.assert(fc.property(fc.array(message), fc.array(fc.nat(60)), (messages, cuts) => {
    const bytes = encoder.encode(messages.map((m) => contextLine(m) + "\n").join(""));
    const conversation = new Conversation(() => {});
    const found: ContextMessage[] = [];
    let at = 0;
    for (const cut of [...cuts, bytes.length]) {
      found.push(...conversation.push(bytes.subarray(at, at + cut)));
      at += cut;
    }
    assertEquals(found, messages);
  }));
});
