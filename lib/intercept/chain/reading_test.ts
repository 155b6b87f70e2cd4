/** Lines that are not clean JSON, in front of an interceptor that may refuse. */

import { assertEquals } from "@std/assert";
import { bytesOf, ChainRig, settled } from "../../../tests/util/chain_rig.ts";
import { ambiguity } from "./ambiguity.ts";
import { type InterceptorFactory, PASS, refuseCall } from "./interceptor.ts";
import { seeLine } from "./seen.ts";

const encoder = new TextEncoder();

/** Refuses every call of `hold_parcel`, and notes the arguments it saw. */
function guard(seen: unknown[] = []): InterceptorFactory {
  return () => ({
    name: "guard",
    mayRefuse: true,
    onMessage(crossing) {
      if (crossing.kind !== "request" || crossing.call === undefined) return PASS;
      seen.push(crossing.call.arguments);
      return crossing.call.tool === "hold_parcel" ? refuseCall("no") : PASS;
    },
  });
}

/** A call of `hold_parcel` with bytes in an argument. */
function hold(reason: readonly number[], before = "", after = ""): Uint8Array {
  const start = `${before}{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":` +
    `"hold_parcel","arguments":{"parcel_id":"P-7","n":NUMBER,"reason":"why`;
  return new Uint8Array([
    ...encoder.encode(start.replace("NUMBER", after === "" ? "1" : after)),
    ...reason,
    ...encoder.encode('"}}}'),
  ]);
}

Deno.test.each<{ why: string; line: Uint8Array; args: Record<string, unknown> }>([
  { why: "a byte of another encoding", line: hold([0x97]), args: { n: 1, reason: "why\ufffd" } },
  { why: "a cut character", line: hold([0xe2, 0x80]), args: { n: 1, reason: "why\ufffd" } },
  { why: "a byte order mark", line: hold([], "\ufeff"), args: { n: 1, reason: "why" } },
  { why: "NaN", line: hold([], "", "NaN"), args: { n: null, reason: "why" } },
  {
    why: "a number past all",
    line: hold([], "", "-Infinity"),
    args: { n: -Infinity, reason: "why" },
  },
  {
    why: "spaces and a carriage return",
    line: hold([], " ", "1 \r"),
    args: { n: 1, reason: "why" },
  },
])("a call with $why is judged as a server reads it", ({ line, args }) => {
  const seen: unknown[] = [];
  const rig = new ChainRig(null, { guard: guard(seen) });
  rig.fromHost(line);
  assertEquals(seen, [{ parcel_id: "P-7", ...args }]);
  assertEquals([rig.server, rig.host.length], [[], 1]);
  assertEquals(JSON.parse(rig.host[0] ?? "").result.isError, true);
});

Deno.test("a call that can be read and is not refused goes on as the bytes that came", () => {
  const sent: number[][] = [];
  for (const factory of [guard(), undefined]) {
    const rig = new ChainRig(null, factory === undefined ? {} : { guard: factory }, {
      toServer: (line) => void sent.push([...line]),
    });
    const line = encoder.encode(
      '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get_parcel","arguments":{"a":"¦"}}}',
    ).map((byte) => byte === 0xa6 ? 0x97 : byte);
    rig.fromHost(line);
    assertEquals(sent.splice(0), [[...line]]);
  }
});

const CALL = '"method":"tools/call","params":{"name":"get_parcel","arguments":{}}';

Deno.test.each<{ why: string; line: string; says: string | undefined }>([
  { why: "not JSON", line: `{"id":7,${CALL},}`, says: "cannot be read" },
  { why: "single quotes", line: `{"id":7,'method':'tools/call'}`, says: "cannot be read" },
  { why: "two methods", line: `{"id":7,${CALL},"method":"ping"}`, says: '"method" stands twice' },
  { why: "two ids", line: `{"id":8,${CALL},"id":7}`, says: '"id" stands twice' },
  { why: "two params", line: `{"id":7,${CALL},"params":{}}`, says: '"params" stands twice' },
  {
    why: "a method in other case",
    line: `{"id":7,"method":"ping","Method":"tools/call"}`,
    says: '"Method" may be read as "method"',
  },
  {
    why: "an escaped key that stands twice",
    line: `{"id":7,"method":"ping","m\\u0065thod":"tools/call"}`,
    says: '"method" stands twice',
  },
  {
    why: "a name in other case",
    line: `{"id":7,"method":"tools/call","params":{"name":"a","NAME":"b"}}`,
    says: '"NAME" may be read as "name"',
  },
  {
    why: "arguments that are a text",
    line: `{"id":7,"method":"tools/call","params":{"name":"a","arguments":"{}"}}`,
    says: '"arguments" is no object',
  },
  {
    why: "no arguments",
    line: `{"id":7,"method":"tools/call","params":{"name":"a","arguments":null}}`,
    says: undefined,
  },
  {
    why: "other methods may repeat keys",
    line: `{"id":7,"method":"ping","params":{"a":1,"a":2,"Name":3}}`,
    says: undefined,
  },
  {
    why: "strings are no keys",
    line:
      `{"id":7,"method":"tools/call","params":{"name":"a","arguments":{"x":["x","x"],"y":"x"}}}`,
    says: undefined,
  },
])("where a call may be refused, a line with $why gets an answer or goes on", ({ line, says }) => {
  const rig = new ChainRig(null, { guard: guard() });
  rig.fromHost(line);
  assertEquals(rig.server, says === undefined ? [line] : []);
  const answers = rig.host.map((line) => JSON.parse(line));
  assertEquals(answers.map(({ id }) => id), says === undefined ? [] : [7]);
  assertEquals(
    answers[0]?.error.message.includes(says ?? ""),
    says === undefined ? undefined : true,
  );
  const free = new ChainRig(null);
  free.fromHost(line);
  assertEquals([free.server, free.host], [[line], []]);
});

Deno.test("what cannot be read and names no id is not sent, and the user is told", () => {
  const rig = new ChainRig(null, { guard: guard() });
  rig.fromHost("hello", "", " ", '{"method":"tools/call","params":{"name":"hold_parcel"}}');
  assertEquals([rig.server, rig.host, rig.said.length], [["", " "], [], 2]);
});

Deno.test("of a batch the ambiguous message is refused, and the rest goes on", () => {
  const rig = new ChainRig(null, { guard: guard() });
  rig.fromHost('[{"id":1,"method":"ping"},{"id":2,"method":"ping","METHOD":"tools/call"}]');
  assertEquals(rig.server, ['[{"id":1,"method":"ping"}]']);
  assertEquals(JSON.parse(rig.host[0] ?? "").id, 2);
});

Deno.test("a fault of an interceptor that may refuse refuses the call", async () => {
  for (
    const fail of [() => Promise.reject(new Error("boom")), () => {
      throw new Error("boom");
    }]
  ) {
    const rig = new ChainRig(null, {
      guard: () => ({
        name: "guard",
        mayRefuse: true,
        onMessage: (crossing) => crossing.kind === "request" ? fail() : PASS,
      }),
    });
    rig.call(1, "hold_parcel", {});
    rig.fromHost({ jsonrpc: "2.0", id: 2, method: "ping" });
    await settled();
    assertEquals(rig.server.map((line) => JSON.parse(line).id), [2]);
    assertEquals(JSON.parse(rig.host[0] ?? "").result.isError, true);
    assertEquals(rig.said[0], "guard: a fault, the message is refused: boom");
  }
});

Deno.test("answers to our own calls in odd bytes are ours, and what was looked up is appended", async () => {
  const rig = new ChainRig();
  rig.call(1, "find_sender", { email: "a" });
  await rig.serve();
  rig.answer(1, "S-20");
  const { id } = await rig.next();
  const answer =
    `{"jsonrpc":"2.0","id":"${id}","result":{"content":[{"type":"text","text":"a|b"}]}}`;
  rig.fromServer(bytesOf(answer).map((byte) => byte === 0x7c ? 0x97 : byte));
  await rig.serve();
  assertEquals(rig.host.length, 1);
  assertEquals(rig.texts()[1]?.includes("a\ufffdb"), true);
});

Deno.test("progress of our own requests never reaches the host", async () => {
  const rig = new ChainRig();
  const progress = (progressToken: unknown) => ({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken, progress: 1 },
  });
  rig.call(1, "find_sender", { email: "a" });
  const { id } = await rig.next();
  rig.fromServer(progress(id), progress("other"), progress(1));
  assertEquals(rig.host, [JSON.stringify(progress("other")), JSON.stringify(progress(1))]);
});

Deno.test("ambiguity() reads a line however deep", () => {
  const deep = "[".repeat(50_000) + "]".repeat(50_000);
  const line =
    `{"id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":${deep}},"name":"b"}}`;
  const [message] = seeLine(encoder.encode(line))?.messages ?? [];
  assertEquals(message && ambiguity(message), '"name" stands twice');
});
