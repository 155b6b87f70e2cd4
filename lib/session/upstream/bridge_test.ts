import { assertEquals, assertRejects } from "@std/assert";
import { turns } from "../../../tests/util/hand_timers.ts";
import { bare, json, result, stream, UpstreamRig } from "../../../tests/util/upstream_rig.ts";

const call = (id: number, more = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "t", ...more },
});
const cancel = (requestId: number) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId },
});
const ended = (id: number, why: string) =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":-32603,"message":"${why}"}}`;
const UNANSWERED = "the upstream did not answer before the end of the session";

/** Answers each request with an empty result. */
const obliging = ({ message }: { message?: { id?: number } }) =>
  message?.id === undefined ? undefined : json(result(message.id));

Deno.test("UpstreamBridge passes the server's bytes on as they came", async () => {
  const odd = '{"id" : 1,\t"jsonrpc":"2.0","result":{"n":9007199254740993,"n":1e400}}';
  const rig = new UpstreamRig(() => json(odd));
  assertEquals(await rig.host(call(1)), [`POST ${JSON.stringify(call(1))}`, `host < ${odd}`]);
});

Deno.test("UpstreamBridge answers a line that is not JSON, and skips a blank one", async () => {
  const rig = new UpstreamRig(obliging);
  assertEquals(await rig.host("", " \t\r"), []);
  const [logged, answered] = await rig.host("{");
  const error =
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the line is not JSON"}}';
  assertEquals([logged, answered], [`log proxy ${error}`, `host < ${error}`]);
  assertEquals(rig.sent, []);
  const [, cut] = await rig.host('{"jsonrpc":"2.0","id":"a","method":');
  assertEquals(cut, `host < ${error.replace("null", '"a"')}`, "with the id that can be found");
});

Deno.test("UpstreamBridge sends bytes that are not UTF-8 as they came, without a byte order mark", async () => {
  const rig = new UpstreamRig(obliging);
  const line = '{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\x97"}}';
  await rig.bridge.line(Uint8Array.from("\xef\xbb\xbf" + line, (c) => c.charCodeAt(0)));
  await turns();
  assertEquals(rig.sent.map(({ text }) => text), [line.replace("\x97", "\ufffd")]);
});

Deno.test("UpstreamBridge holds later lines until initialize has its answer", async () => {
  const opened = Promise.withResolvers<void>();
  const rig = new UpstreamRig(async ({ message }) => {
    if (message?.method === "initialize") await opened.promise;
    return message?.id === undefined
      ? undefined
      : json(result(message.id, { protocolVersion: "2025-06-18" }), { session: "s1" });
  });
  await rig.host({ jsonrpc: "2.0", id: 0, method: "initialize", params: {} }, call(1), call(2));
  assertEquals(rig.sent.length, 1);
  opened.resolve();
  await turns();
  assertEquals(rig.sent.map(({ message, headers }) => [message.id, headers]), [
    [0, {}],
    [1, { "mcp-session-id": "s1", "mcp-protocol-version": "2025-06-18" }],
    [2, { "mcp-session-id": "s1", "mcp-protocol-version": "2025-06-18" }],
  ]);
});

Deno.test("UpstreamBridge releases held lines when initialize fails", async () => {
  const rig = new UpstreamRig(({ message }) =>
    message?.method === "initialize" ? "cannot reach the upstream: refused" : obliging({ message })
  );
  const news = await rig.host(
    { jsonrpc: "2.0", id: 0, method: "initialize", params: {} },
    call(1),
  );
  assertEquals(news.filter((line) => line.startsWith("host")), [
    `host < ${ended(0, "cannot reach the upstream: refused")}`,
    `host < {"jsonrpc":"2.0","id":1,"result":{}}`,
  ]);
});

Deno.test("UpstreamBridge refuses a second request with an id that is in flight", async () => {
  const rig = new UpstreamRig(() => new Promise(() => {}));
  const news = await rig.host(call(1), call(1));
  assertEquals(
    news.at(-1),
    "host < " + JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32600, message: "a request with this id is in flight" },
    }),
  );
  assertEquals(rig.sent.length, 1);
});

Deno.test("UpstreamBridge says that a notification was not taken", async () => {
  const rig = new UpstreamRig(() => bare(500));
  const news = await rig.host({ jsonrpc: "2.0", method: "notifications/x" });
  assertEquals(
    news.at(-1),
    "say a message was not taken: the upstream refused the request: HTTP 500",
  );
});

Deno.test("UpstreamBridge passes a legacy cancellation on, and the late answer too", async () => {
  const answered = Promise.withResolvers<void>();
  const rig = new UpstreamRig(async ({ message }) => {
    if (message?.id === undefined) return undefined;
    await answered.promise;
    return json(result(message.id));
  });
  await rig.host(call(1), cancel(1));
  assertEquals(rig.sent.map(({ message }) => message.method), [
    "tools/call",
    "notifications/cancelled",
  ]);
  rig.news();
  answered.resolve();
  await turns();
  assertEquals(rig.news(), [`host < {"jsonrpc":"2.0","id":1,"result":{}}`]);
});

Deno.test("UpstreamBridge closes the oldest of more than 32 given-up requests", async () => {
  const rig = new UpstreamRig(({ message }) =>
    message?.id === undefined ? undefined : new Promise(() => {})
  );
  for (let id = 1; id <= 33; id++) await rig.host(call(id), cancel(id));
  // The ids of closed requests are free again, all others are still in flight.
  await rig.host(call(1), call(2));
  assertEquals(rig.sent.filter(({ message }) => message.method === "tools/call").length, 34);
});

Deno.test("UpstreamBridge closes the stream of a modern request that is cancelled", async () => {
  const meta = { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } };
  const rig = new UpstreamRig(({ message }) =>
    message.method === "tools/list"
      ? json(result(message.id, { tools: [] }))
      : new Promise(() => {})
  );
  await rig.host(call(1, meta), cancel(1));
  assertEquals(rig.sent.map(({ message }) => message.method), ["tools/list", "tools/call"]);
  assertEquals(rig.news().filter((l) => l.startsWith("host")), [], "the host gets no answer");
});

Deno.test("UpstreamBridge at the host's end waits for answers, then sends DELETE", async () => {
  const answered = Promise.withResolvers<void>();
  const rig = new UpstreamRig(async ({ message, verb }) => {
    if (verb !== "POST" || message.id === undefined) return undefined;
    if (message.method === "tools/call") await answered.promise;
    return json(result(message.id), { session: "s1" });
  });
  await rig.hello();
  await rig.host(call(1));
  const over = rig.bridge.hostEof();
  await turns();
  assertEquals([rig.bridge.phase, rig.timers.pending], ["draining", [30_000]]);
  answered.resolve();
  await over;
  assertEquals(rig.bridge.phase, "ended");
  assertEquals(rig.transcript.slice(-2), [
    `host < {"jsonrpc":"2.0","id":1,"result":{}}`,
    "DELETE mcp-session-id=s1",
  ]);
  assertEquals(rig.timers.pending, []);
});

Deno.test("UpstreamBridge at the host's end waits on while lines move, then answers what is open", async () => {
  let notes = 0;
  const more: (() => void)[] = [];
  const rig = new UpstreamRig(({ message }) => ({
    ...stream([]),
    async *events() {
      for (;;) {
        await new Promise<void>((resolve) => more.push(resolve));
        const data = { jsonrpc: "2.0", method: `n${message.id}.${++notes}` };
        yield {
          data: new TextEncoder().encode(JSON.stringify(data)),
          id: undefined,
          retryMs: undefined,
          type: undefined,
        };
      }
    },
  }));
  await rig.host(call(1));
  const over = rig.bridge.hostEof();
  more.shift()?.();
  await turns();
  await rig.timers.ring();
  assertEquals([rig.bridge.phase, rig.timers.pending], ["draining", [30_000]], "a line moved");
  await rig.timers.ring();
  await over;
  assertEquals(rig.news().filter((line) => line.startsWith("host")), [
    `host < {"jsonrpc":"2.0","method":"n1.1"}`,
    `host < ${ended(1, UNANSWERED)}`,
  ]);
});

Deno.test("UpstreamBridge at the host's end answers held lines that were never sent", async () => {
  const rig = new UpstreamRig(() => new Promise(() => {}));
  await rig.host({ jsonrpc: "2.0", id: 0, method: "initialize" }, call(1), [call(2), call(3)]);
  const over = rig.bridge.hostEof();
  await rig.timers.ring();
  await over;
  assertEquals(
    rig.news().filter((line) => line.startsWith("host")),
    [0, 1, 2, 3].map((id) => `host < ${ended(id, UNANSWERED)}`),
  );
  assertEquals(rig.sent.length, 1);
});

Deno.test("UpstreamBridge.end() gives everything up without an answer", async () => {
  const rig = new UpstreamRig(() => new Promise(() => {}));
  await rig.host(call(1));
  await rig.bridge.end();
  await turns();
  assertEquals([rig.bridge.phase, rig.news().filter((l) => l.startsWith("host"))], ["ended", []]);
  await assertRejects(() => rig.bridge.hostEof(), RangeError);
});
