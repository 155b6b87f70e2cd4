import { assertEquals } from "@std/assert";
import { turns } from "../../tests/util/hand_timers.ts";
import type { LogTap } from "../relay/log_tap.ts";
import type { OpenLog } from "../relay/session_log.ts";
import { HttpLogs } from "./http_logs.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const INITIALIZE = '{"jsonrpc":"2.0","id":0,"method":"initialize"}';
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** Logs that write what they record into a transcript, each line after its number. */
function rig({ isBroken = false } = {}) {
  const transcript: string[] = [];
  const logs = new HttpLogs(({ number, hostSession }): OpenLog | undefined => {
    transcript.push(`${number} opened for ${hostSession}`);
    if (isBroken) return undefined;
    const note = (what: string) => (line: Uint8Array) =>
      void transcript.push(`${number} ${what} ${decoder.decode(line)}`);
    const tap = {
      clientLine: note("client"),
      serverLine: note("server"),
      close: () => Promise.resolve(void transcript.push(`${number} closed`)),
    } as unknown as LogTap;
    return { tap, path: `/${number}`, session: `log-${number}` };
  });
  const post = (body: string, headers = {}) =>
    logs.request(encoder.encode(body), new Headers(headers));
  return { logs, post, transcript };
}

const exchange = (
  named: HeadersInit,
  given: HeadersInit,
  { method = "POST", status = 200 } = {},
) => ({
  request: new Request("http://127.0.0.1/mcp", { method, headers: named }),
  response: new Response(null, { status, headers: given }),
});

/** Two bodies with their headers, and how many logs they are recorded in. */
const ROWS:
  readonly (readonly [why: string, a: [string, object], b: [string, object], n: number])[] = [
    ["each initialize has its own", [INITIALIZE, {}], [INITIALIZE, {}], 2],
    ["what is of no session shares one", [PING, {}], [PING, {}], 1],
    ["an unknown session shares it", [PING, {}], [PING, { "mcp-session-id": "x" }], 1],
    ["initialize in a session opens none", [PING, {}], [INITIALIZE, { "mcp-session-id": "x" }], 1],
    ["a body that is not JSON opens none of its own", [PING, {}], [`${INITIALIZE}}`, {}], 1],
  ];

for (const [why, [a, aHeaders], [b, bHeaders], n] of ROWS) {
  Deno.test(`HttpLogs.request(): ${why}`, () => {
    const { post, transcript } = rig();
    post(a, aHeaders);
    post(b, bHeaders);
    assertEquals(transcript.filter((line) => line.includes("opened")).length, n);
    assertEquals(transcript.filter((line) => line.includes("client")).length, 2);
  });
}

Deno.test("HttpLogs names the host session of a log that a session begins, and of no other", () => {
  const { post, transcript } = rig();
  post(INITIALIZE.replace(",", ",\n"), { "hoist-session": "h" });
  post(PING, { "hoist-session": "h" });
  assertEquals(transcript, [
    "1 opened for h",
    `1 client ${INITIALIZE.replace(",", ", ")}`,
    "2 opened for undefined",
    `2 client ${PING}`,
  ]);
});

Deno.test("HttpLogs records nothing where no log can be opened", () => {
  const { post, logs } = rig({ isBroken: true });
  assertEquals([post(PING), logs.of(new Headers(), true), logs.tapOf(new Headers())], [
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("HttpLogs finds the log of a session by the id that its first response gave", () => {
  const { post, logs } = rig();
  const tap = post(INITIALIZE);
  if (tap === undefined) throw new Error("no log was opened");
  logs.opened(tap, exchange({}, { "mcp-session-id": "s" }));
  const headers = new Headers({ "mcp-session-id": "s" });
  assertEquals(logs.of(headers, false)?.session, "log-1");
  assertEquals(logs.tapOf(headers), tap);
});

/** A response to a request of the session, and whether it ends the session. */
const ENDS: readonly (readonly [method: string, status: number, isEnd: boolean])[] = [
  ["DELETE", 200, true],
  ["DELETE", 204, true],
  ["DELETE", 405, false],
  ["POST", 404, true],
  ["GET", 404, true],
  ["POST", 500, false],
];

for (const [method, status, isEnd] of ENDS) {
  Deno.test(`HttpLogs.opened() of ${method} with ${status} ends the session: ${isEnd}`, async () => {
    const { post, logs, transcript } = rig();
    const tap = post(INITIALIZE);
    if (tap === undefined) throw new Error("no log was opened");
    const session = { "mcp-session-id": "s" };
    logs.opened(tap, exchange({}, session));
    logs.opened(tap, exchange(session, {}, { method, status }));
    assertEquals(transcript.includes("1 closed"), false, "an exchange is under way");
    logs.release(tap);
    await turns();
    assertEquals(transcript.includes("1 closed"), isEnd);
  });
}

/** The parts of a response body, its type, and the lines that are recorded. */
const BODIES: readonly (readonly [
  why: string,
  type: string | null,
  parts: readonly string[],
  lines: readonly string[],
])[] = [
  ["a body is one line", "application/json", ['{"a":\n', "1}"], ['{"a": 1}']],
  ["a body without a type too", null, ["{}"], ["{}"]],
  ["an empty body is no line", "application/json", [], []],
  [
    "each event is one, however it is cut",
    "text/event-stream; charset=utf-8",
    ["data: {}\n", "\ndata: [", "]\n\n", "data: unfinished"],
    ["{}", "[]"],
  ],
  ["other events are none", "text/event-stream", ["event: ping\ndata: {}\n\n: c\n\n"], []],
];

for (const [why, type, parts, lines] of BODIES) {
  Deno.test(`HttpLogs.tapped() hands the bytes on, and records: ${why}`, async () => {
    const { post, logs, transcript } = rig();
    const tap = post(PING);
    if (tap === undefined) throw new Error("no log was opened");
    const body = ReadableStream.from(parts.map((part) => encoder.encode(part)));
    const text = await new Response(logs.tapped(tap, body, type)).text();
    assertEquals(text, parts.join(""));
    assertEquals(transcript.slice(2), lines.map((line) => `1 server ${line}`));
  });
}

Deno.test("HttpLogs.tapped() ends the exchange when its host leaves, and lets the upstream go", async () => {
  const { post, logs, transcript } = rig();
  const tap = post(INITIALIZE);
  if (tap === undefined) throw new Error("no log was opened");
  const session = { "mcp-session-id": "s" };
  logs.opened(tap, exchange({}, session));
  logs.opened(tap, exchange(session, {}, { method: "DELETE" }));
  const left: unknown[] = [];
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    cancel: (why) => void left.push(why),
  });
  await logs.tapped(tap, body, "text/event-stream").cancel("gone");
  assertEquals([left, transcript.at(-1)], [["gone"], "1 closed"]);
});

Deno.test("HttpLogs.close() closes every log once", async () => {
  const { post, logs, transcript } = rig();
  post(INITIALIZE);
  post(PING);
  await logs.close();
  assertEquals(transcript.filter((line) => line.includes("closed")).sort(), [
    "1 closed",
    "2 closed",
  ]);
});
