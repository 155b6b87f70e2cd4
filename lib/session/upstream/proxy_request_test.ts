import { assertEquals } from "@std/assert";
import { bare, json, result, type Scripted, stream } from "../../../tests/util/upstream_rig.ts";
import { readMessage } from "../../wire/message.ts";
import { askUpstream } from "./proxy_request.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Asks an upstream that answers so: the answer's bytes, its session, and the log. */
async function ask(answer: Scripted) {
  const log: string[] = [];
  const post = () =>
    typeof answer === "string" ? Promise.reject(new Error(answer)) : Promise.resolve(answer);
  const got = await askUpstream({
    link: { post, get: post, delete: post },
    tap: {
      clientLine() {},
      proxy: (line) => void log.push(`proxy ${decoder.decode(line)}`),
      serverLine: (line) => void log.push(`server ${decoder.decode(line)}`),
    },
  }, { line: encoder.encode("ASK"), id: '"hoist-1"', headers: [] });
  return { text: got && decoder.decode(got.message.bytes), session: got?.session, log };
}

const ANSWER = JSON.stringify(result("hoist-1"));
const NOTE = { jsonrpc: "2.0", method: "n" };

Deno.test("askUpstream() returns the answer and its session, and records both lines", async () => {
  assertEquals(await ask(json(ANSWER, { session: "s1" })), {
    text: ANSWER,
    session: "s1",
    log: ["proxy ASK", `server ${ANSWER}`],
  });
});

Deno.test("askUpstream() reads a stream up to the answer", async () => {
  const { text, log } = await ask(
    stream([{ data: NOTE }, { data: "?" }, { data: ANSWER }], "stays"),
  );
  assertEquals([text, log.length], [ANSWER, 3]);
  assertEquals(readMessage(encoder.encode(text)).kind, "response");
});

const NONE: readonly (readonly [string, Scripted])[] = [
  ["no connection", "refused"],
  ["202", bare(202)],
  ["a page", bare(200, "text/html")],
  ["no JSON", json("{")],
  ["another answer", json(result("hoist-2"))],
  ["a stream without the answer", stream([{ data: NOTE }])],
  ["a stream that breaks", stream([{ data: NOTE }], "breaks")],
  ["a body that was cut off", { ...json(""), body: () => Promise.resolve(undefined) }],
];

for (const [name, answer] of NONE) {
  Deno.test(`askUpstream() has no answer: ${name}`, async () => {
    assertEquals((await ask(answer)).text, undefined);
  });
}
