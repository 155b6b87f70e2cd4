import { assertEquals } from "@std/assert";
import { type Script, ScriptedUpstream } from "../../tests/util/scripted_upstream.ts";
import { PLAIN_NETWORK } from "../http_client/upstream_network.ts";
import type { Runtime } from "../ports/runtime.ts";
import { HttpBackend } from "./http_backend.ts";
import type { InterceptedExchanges } from "./intercepted_exchanges.ts";

const encoder = new TextEncoder();
const CALL = '{"jsonrpc":"2.0","id":"a","method":"ping"}';

/** A backend toward an upstream, and what its interceptors are told. */
function backend(url: string, intercepted?: Partial<InterceptedExchanges>) {
  const said: string[] = [];
  const told: string[] = [];
  const runtime = { say: (line: string) => void said.push(line) } as unknown as Runtime;
  const exchanges = {
    post: () => undefined,
    get: () => undefined,
    ended: (session: string) => void told.push(`ended ${session}`),
    close: () => Promise.resolve(void told.push("close")),
    ...intercepted,
  } as unknown as InterceptedExchanges;
  const job = {
    options: { upstream: { url, headers: [] }, record: undefined },
    headers: [["authorization", "Bearer own"]] as const,
    network: PLAIN_NETWORK,
  };
  const made = new HttpBackend(job, runtime, () => exchanges);
  const send = (method: string, {
    body = CALL,
    headers = {},
    signal = undefined as
      | AbortSignal
      | undefined,
  } = {}) => {
    const request = new Request("http://127.0.0.1/mcp", {
      method,
      headers,
      ...(signal === undefined ? {} : { signal }),
    });
    if (method === "POST") return made.post(encoder.encode(body), request);
    return method === "GET" ? made.get(request) : made.delete(request);
  };
  return { made, send, said, told };
}

/** An upstream that nobody listens for any more. */
async function goneUrl(): Promise<string> {
  const gone = new ScriptedUpstream();
  await gone[Symbol.asyncDispose]();
  return gone.url;
}

Deno.test("HttpBackend forwards a body as it is, with the user's credential and not the host's", async () => {
  await using upstream = new ScriptedUpstream(() =>
    new Response("odd", { status: 418, headers: { "x-own": "1" } })
  );
  const { send } = backend(upstream.url);
  const headers = { authorization: "Bearer host", "mcp-session-id": "s" };
  const response = await send("POST", { body: "{ not JSON", headers });
  assertEquals([response.status, response.headers.get("x-own"), await response.text()], [
    418,
    "1",
    "odd",
  ]);
  const [seen] = upstream.seen;
  assertEquals([seen?.text, seen?.headers.get("authorization")], ["{ not JSON", "Bearer own"]);
  assertEquals(seen?.headers.get("mcp-session-id"), "s");
});

/** A body, and the id that the refusal of an upstream which cannot be reached names. */
const IDS: readonly (readonly [why: string, body: string, id: unknown])[] = [
  ["a request", CALL, "a"],
  ["the first of a batch", `[${CALL}]`, "a"],
  ["an id that is a number", '{"jsonrpc":"2.0","id":0,"method":"m"}', 0],
  ["a notification has none", '{"jsonrpc":"2.0","method":"m"}', null],
  ["a response has none of the host's", '{"jsonrpc":"2.0","id":1,"result":{}}', null],
  ["what is not JSON has none", "{", null],
];

for (const [why, body, id] of IDS) {
  Deno.test(`HttpBackend answers 502 when there is no upstream: ${why}`, async () => {
    const { send, said } = backend(await goneUrl());
    const response = await send("POST", { body });
    const { error, ...rest } = await response.json();
    assertEquals([response.status, rest.id, error.code], [502, id, -32603]);
    assertEquals(said, [error.message]);
    assertEquals(error.message.startsWith("cannot reach the upstream: "), true);
  });
}

Deno.test("HttpBackend says nothing of a host that left before the response", async () => {
  const { send, said } = backend(await goneUrl());
  const response = await send("GET", { signal: AbortSignal.abort() });
  assertEquals([response.status, said], [499, []]);
});

/** A request with a session, the upstream's status, and what the interceptors are told. */
const ENDS: readonly (readonly [method: string, status: number, told: readonly string[]])[] = [
  ["DELETE", 200, ["ended s"]],
  ["DELETE", 405, []],
  ["POST", 404, ["ended s"]],
  ["POST", 200, []],
  ["GET", 404, ["ended s"]],
];

for (const [method, status, expected] of ENDS) {
  Deno.test(`HttpBackend tells interceptors of ${method} with ${status}: ${expected}`, async () => {
    const script: Script = () => new Response(null, { status });
    await using upstream = new ScriptedUpstream(script);
    const { send, told } = backend(upstream.url);
    await (await send(method, { headers: { "mcp-session-id": "s" } })).body?.cancel();
    await (await send(method)).body?.cancel();
    assertEquals(told, expected);
  });
}

Deno.test("HttpBackend forwards nothing that an interceptor answers", async () => {
  await using upstream = new ScriptedUpstream();
  const ours = () => Promise.resolve(new Response("ours"));
  const { made, send, told } = backend(upstream.url, { post: ours, get: ours });
  assertEquals(await (await send("POST")).text(), "ours");
  assertEquals(await (await send("GET")).text(), "ours");
  assertEquals(upstream.seen, []);
  await made.stop();
  assertEquals(told, ["close"]);
});

Deno.test("HttpBackend says once how a server of the first transport is reached", async () => {
  let status = 405;
  await using upstream = new ScriptedUpstream(() => new Response("no", { status }));
  const { send, said } = backend(upstream.url);
  const body = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}';
  for (const other of [CALL, "{", `{"method":"initialize"`]) {
    await (await send("POST", { body: other })).text();
  }
  status = 401;
  await (await send("POST", { body })).text();
  assertEquals(said, []);
  for (status of [404, 400]) {
    const response = await send("POST", { body });
    assertEquals([response.status, await response.text()], [status, "no"]);
  }
  assertEquals(said, [
    "the upstream refuses initialize with HTTP 404; if it speaks HTTP+SSE of 2024-11-05, " +
    "run: hoist-mcp --listen ADDR -- hoist-mcp --upstream URL",
  ]);
});
