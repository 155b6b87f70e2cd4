import { assertEquals } from "@std/assert";
import { turns } from "../../tests/util/hand_timers.ts";
import type { Chain } from "../intercept/chain/chain.ts";
import type { Chains, NewSession } from "../intercept/kinds/chains.ts";
import type { LogTap } from "../relay/log_tap.ts";
import type { ExchangePorts } from "./exchange_ports.ts";
import { InterceptedExchanges } from "./intercepted_exchanges.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const JSON_TYPE = { "content-type": "application/json" };
const VERSION = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
const call = (id: unknown) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call"}`;
const modernCall = (id: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { _meta: VERSION } });
const result = (id: unknown, value = {}) =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify(value)}}`;

/** A chain that passes every line on, unless a test holds or answers some. */
class ScriptedChain {
  /** What it was asked to do; giving up what was answered is nothing, as in the real one. */
  readonly told: string[] = [];
  readonly held = new Set<string>();
  readonly begun: NewSession;
  readonly #answered = new Set<string>();
  /** What a test makes of a line of the host; undefined passes it on. */
  onHost: ((line: string) => string | undefined) | undefined;

  constructor(begun: NewSession) {
    this.begun = begun;
  }
  fromHost(line: Uint8Array): void {
    const answer = this.onHost?.(decoder.decode(line));
    if (answer === undefined) this.begun.toServer(line);
    else if (answer !== "") this.begun.toHost(encoder.encode(answer));
  }
  fromServer(line: Uint8Array): void {
    const text = decoder.decode(line);
    if ([...this.held].some((key) => text.includes(`"id":${key},`))) return;
    for (const [, id] of text.matchAll(/"id":([^,]+),/g)) this.#answered.add(id ?? "");
    this.begun.toHost(line);
  }
  holds(key: string): boolean {
    return this.held.has(key);
  }
  abandon(id: string): void {
    if (!this.#answered.has(id)) this.told.push(`abandon ${id}`);
  }
  lost(id: string): void {
    this.told.push(`lost ${id}`);
  }
  close(): Promise<void> {
    return Promise.resolve(void this.told.push("close"));
  }
  end(): Promise<void> {
    return Promise.resolve(void this.told.push("end"));
  }
}

/** The exchanges, with an upstream that answers as a test says. */
function rig(answer: (text: string, request: Request) => Response | Promise<Response>) {
  const chains: ScriptedChain[] = [];
  const sent: string[] = [];
  const released: string[] = [];
  const opened: boolean[] = [];
  /** What the next chain does with lines of its host. */
  const script: { onHost?: (line: string) => string | undefined } = {};
  const ports = {
    chains: {
      methods: new Set(),
      begin: (session: NewSession) => {
        const chain = new ScriptedChain(session);
        chain.onHost = script.onHost;
        chains.push(chain);
        return chain as unknown as Chain;
      },
    } as unknown as Chains,
    runtime: { say: () => {} },
    link: { url: "http://127.0.0.1:9/mcp", headers: [] },
    forward: async (request: Request, body: Uint8Array | undefined) => {
      const text = decoder.decode(body);
      sent.push(body === undefined ? request.method : text);
      return await answer(text, request);
    },
    log: (_headers: Headers, isOpening: boolean) => {
      opened.push(isOpening);
      return { tap: `log ${opened.length}` as unknown as LogTap, path: "/l", session: "logged" };
    },
    release: (log: LogTap) => void released.push(String(log)),
  } as unknown as ExchangePorts;
  const exchanges = new InterceptedExchanges(ports);
  const request = (headers: Record<string, string> = {}, method = "POST") =>
    new Request("http://127.0.0.1/mcp", { method, headers });
  const post = (body: string, headers?: Record<string, string>) =>
    exchanges.post(encoder.encode(body), request(headers));
  return { exchanges, chains, sent, released, opened, script, request, post };
}

const answers = (body: string, init: ResponseInit = { headers: JSON_TYPE }) => () =>
  new Response(body, init);
/** An event stream that ends after this text. */
const events = (text: string) => {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    type: "bytes",
    start(controller) {
      controller.enqueue(encoder.encode(text));
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
};

/** A body, and whether an interceptor may act on it. */
const BODIES: readonly (readonly [why: string, body: string, isIntercepted: boolean])[] = [
  ["a call", call(1), true],
  ["a list of tools", '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', true],
  ["what opens a legacy session", '{"jsonrpc":"2.0","id":1,"method":"initialize"}', true],
  ["what opens a modern one", '{"jsonrpc":"2.0","id":1,"method":"server/discover"}', true],
  ["a cancellation", '{"jsonrpc":"2.0","method":"notifications/cancelled"}', true],
  ["a batch with a call", `[{"jsonrpc":"2.0","id":1,"method":"ping"},${call(2)}]`, true],
  ["a ping", '{"jsonrpc":"2.0","id":1,"method":"ping"}', false],
  ["a response of the host", '{"jsonrpc":"2.0","id":1,"result":{}}', false],
  ["what is not JSON", `${call(1)}}`, false],
  ["nothing", "", false],
];

for (const [why, body, isIntercepted] of BODIES) {
  Deno.test(`InterceptedExchanges.post() of ${why}: ${isIntercepted}`, async () => {
    const { post, chains } = rig(answers("", { status: 202 }));
    const response = post(body);
    assertEquals([response !== undefined, chains.length], [isIntercepted, isIntercepted ? 1 : 0]);
    await response;
  });
}

Deno.test("InterceptedExchanges sends the host's own bytes when no interceptor changed them", async () => {
  const { post, sent } = rig(answers(result(1)));
  const body = call(1).replace(",", ",\n");
  const response = await post(body);
  assertEquals(sent, [body]);
  assertEquals([response?.status, await response?.text()], [200, result(1)]);
});

Deno.test("InterceptedExchanges asks the upstream nothing that an interceptor answers", async () => {
  const { post, sent, script, chains } = rig(answers("never"));
  script.onHost = () => result(1, { by: "us" });
  const response = await post(call(1));
  assertEquals([response?.status, await response?.text()], [200, result(1, { by: "us" })]);
  assertEquals(sent, []);
  await turns();
  assertEquals(chains[0]?.told, ["close", "end"], "a session of one request is over");
});

Deno.test("InterceptedExchanges accepts a notification that an interceptor keeps", async () => {
  const { post, sent, script } = rig(answers("never"));
  script.onHost = () => "";
  const response = await post('{"jsonrpc":"2.0","method":"notifications/cancelled"}');
  assertEquals([response?.status, sent], [202, []]);
});

/** Responses of the upstream that carry no answer, and what the host gets of them. */
const UNANSWERED: readonly (readonly [why: string, response: () => Response, got: unknown[]])[] = [
  ["a refusal in words", () => new Response("go away", { status: 401 }), [401, "go away"]],
  ["202", () => new Response(null, { status: 202 }), [202, ""]],
  [
    "a body that is not JSON",
    () => new Response("{", { status: 500, headers: JSON_TYPE }),
    [500, "{"],
  ],
  [
    "an event stream of an error",
    () =>
      new Response("data: {}\n\n", {
        status: 503,
        headers: { "content-type": "text/event-stream" },
      }),
    [
      503,
      "data: {}\n\n",
    ],
  ],
];

for (const [why, response, got] of UNANSWERED) {
  Deno.test(`InterceptedExchanges hands on ${why}, and gives the call up`, async () => {
    const { post, chains, released } = rig(response);
    const answer = await post(call("a"));
    assertEquals([answer?.status, await answer?.text()], got);
    await turns();
    assertEquals(chains[0]?.told, ['abandon "a"', "close", "end"]);
    assertEquals(released, ["log 1"]);
  });
}

Deno.test("InterceptedExchanges waits with a body for the answer that a chain holds", async () => {
  const { post, chains, script } = rig(answers(result(1)));
  script.onHost = () => {
    chains[0]?.held.add("1");
    return undefined;
  };
  let isAnswered = false;
  const response = post(call(1))?.then((r) => (isAnswered = true, r));
  await turns();
  await new Response("x").text(); // The body of the upstream is read by now.
  await turns();
  assertEquals([isAnswered, chains[0]?.told], [false, []]);
  chains[0]?.held.clear();
  chains[0]?.begun.toHost(encoder.encode(result(1, { by: "chain" })));
  assertEquals(await (await response)?.text(), result(1, { by: "chain" }));
});

Deno.test("InterceptedExchanges streams what the upstream streams, as it came", async () => {
  const text = 'id: 1\ndata: {"jsonrpc":"2.0","method":"n"}\n\n: comment\n\n' +
    `id: 2\ndata:${result(1)}\n\n`;
  const { post } = rig(() => events(text));
  const response = await post(call(1));
  assertEquals(response?.headers.get("content-type"), "text/event-stream");
  assertEquals(await response?.text(), text);
});

Deno.test("InterceptedExchanges leaves a legacy call open whose stream broke off, to be fetched", async () => {
  const init = '{"jsonrpc":"2.0","id":0,"method":"initialize"}';
  const { post, chains, exchanges, request } = rig((text, { method }) => {
    if (method === "GET") return events(`id: 6\ndata: ${result(1, { late: true })}\n\n`);
    if (text === init) {
      return new Response(result(0), { headers: { ...JSON_TYPE, "mcp-session-id": "s" } });
    }
    return events('id: 5\ndata: {"jsonrpc":"2.0","method":"n"}\n\n');
  });
  await post(init);
  const session = { "mcp-session-id": "s" };
  await (await post(call(1), session))?.text();
  assertEquals([chains.length, chains[0]?.told], [1, []], "the call is not given up");
  const fetched = await exchanges.get(request(session, "GET"));
  assertEquals(await fetched?.text(), `id: 6\ndata: ${result(1, { late: true })}\n\n`);
});

Deno.test("InterceptedExchanges gives a call up whose stream ended without ids", async () => {
  const { post, chains } = rig(() => events('data: {"jsonrpc":"2.0","method":"n"}\n\n'));
  await (await post(call(1), { "mcp-session-id": "s" }))?.text();
  assertEquals(chains[0]?.told, ["abandon 1"], "the session lasts");
});

Deno.test("InterceptedExchanges gives a modern call up whose host leaves, and no legacy one", async () => {
  for (
    const [body, told] of [[modernCall(1), ["abandon 1", "close", "end"]], [call(1), [
      "close",
      "end",
    ]]] as const
  ) {
    const open = new ReadableStream<Uint8Array>({ type: "bytes" });
    const headers = { "content-type": "text/event-stream" };
    const { post, chains } = rig(() => new Response(open, { headers }));
    await (await post(body))?.body?.cancel();
    await turns();
    assertEquals(chains[0]?.told, [...told]);
  }
});

Deno.test("InterceptedExchanges answers a batch in one body", async () => {
  const { post } = rig(answers(`[${result(2)},${result(1)}]`));
  const response = await post(`[${call(1)},${call(2)}]`);
  assertEquals(JSON.parse(await response?.text() ?? ""), [
    { jsonrpc: "2.0", id: 2, result: {} },
    { jsonrpc: "2.0", id: 1, result: {} },
  ]);
});

Deno.test("InterceptedExchanges.get() knows the sessions that have a chain", async () => {
  const { exchanges, request, sent, post } = rig(answers("no stream", { status: 405 }));
  assertEquals(exchanges.get(request({}, "GET")), undefined, "no session is named");
  assertEquals(exchanges.get(request({ "mcp-session-id": "s" }, "GET")), undefined, "unknown");
  await post(call(1), { "mcp-session-id": "s" });
  const response = await exchanges.get(request({ "mcp-session-id": "s" }, "GET"));
  assertEquals([response?.status, await response?.text()], [405, "no stream"]);
  assertEquals(sent.at(-1), "GET");
});

Deno.test("InterceptedExchanges keeps one chain for a session, and ends it once", async () => {
  const { post, chains, exchanges, released, opened } = rig(answers(result(1)));
  const session = { "mcp-session-id": "s" };
  await (await post(call(1), session))?.text();
  await (await post(call(1), session))?.text();
  assertEquals([chains.length, chains[0]?.told], [1, []]);
  exchanges.ended("s");
  exchanges.ended("s");
  await turns();
  assertEquals([chains[0]?.told, released], [["close", "end"], ["log 1"]]);
  await post(call(1), session);
  assertEquals([chains.length, opened], [2, [false, false]], "the name may come again");
});

/** Headers of two modern requests, and how many sessions they make. */
const CONVERSATIONS: readonly (readonly [
  why: string,
  first: Record<string, string>,
  second: Record<string, string>,
  sessions: number,
])[] = [
  ["one name is one conversation", { "hoist-session": "a" }, { "hoist-session": "a" }, 1],
  ["two names are two", { "hoist-session": "a" }, { "hoist-session": "b" }, 2],
  ["without a name each is its own", {}, {}, 2],
];

for (const [why, first, second, sessions] of CONVERSATIONS) {
  Deno.test(`InterceptedSessions of modern requests: ${why}`, async () => {
    const { post, chains } = rig(answers(result(1)));
    await (await post(modernCall(1), first))?.text();
    await (await post(modernCall(1), second))?.text();
    assertEquals(chains.length, sessions);
  });
}

Deno.test("InterceptedSessions reads Hoist-Session of no legacy request", async () => {
  const { post, chains } = rig(answers(result(1)));
  const named = { "hoist-session": "a" };
  await (await post(call(1), named))?.text();
  await (await post(call(1), named))?.text();
  assertEquals(chains.length, 2);
});

Deno.test("InterceptedSessions takes two requests of one id at once for two hosts", async () => {
  const waiting: (() => void)[] = [];
  const { post, chains } = rig(() =>
    new Promise((resolve) => waiting.push(() => resolve(new Response(null, { status: 202 }))))
  );
  const named = { "hoist-session": "a" };
  const both = [post(modernCall(1), named), post(modernCall(1), named)];
  assertEquals(chains.map(({ begun }) => [begun.id, begun.hostSession]), [
    ["logged", "a"],
    ["logged", "a"],
  ]);
  waiting.forEach((answer) => answer());
  await Promise.all(both);
  await turns();
  assertEquals(chains.map(({ told }) => told), [
    ["abandon 1"],
    ["abandon 1", "close", "end"],
  ], "the second is of one request");
});

Deno.test("InterceptedSessions opens a log of its own for initialize alone", async () => {
  const { post, opened } = rig(answers(result(1)));
  await post('{"jsonrpc":"2.0","id":1,"method":"initialize"}');
  await post('{"jsonrpc":"2.0","id":1,"method":"initialize"}', { "mcp-session-id": "s" });
  await post(call(1), { "mcp-session-id": "t" });
  assertEquals(opened, [true, false, false]);
});

Deno.test("InterceptedSessions numbers the proxy's requests of all sessions in one row", async () => {
  const { post, chains } = rig(answers(result(1)));
  await post(call(1), { "mcp-session-id": "a" });
  await post(call(1), { "mcp-session-id": "b" });
  const numbers = [0, 1, 0].map((n) => chains[n]?.begun.nextNumber?.(0));
  assertEquals([...numbers, chains[1]?.begun.nextNumber?.(40)], [1, 2, 3, 41]);
});

Deno.test("InterceptedSessions forgets the session used least lately for one more than 1024", async () => {
  const { post, chains } = rig(answers(result(1)));
  for (let n = 0; n < 1024; n++) await post(call(1), { "mcp-session-id": `s${n}` });
  await post(call(1), { "mcp-session-id": "s0" });
  await post(call(1), { "mcp-session-id": "new" });
  await turns();
  const ended = chains.flatMap(({ told }, n) => told.includes("end") ? [n] : []);
  assertEquals([chains.length, ended], [1025, [1]]);
});

Deno.test("InterceptedExchanges.close() ends every session, and releases its log", async () => {
  const { post, chains, exchanges, released } = rig(answers(result(1)));
  await post(call(1), { "mcp-session-id": "a" });
  await post(call(1), { "mcp-session-id": "b" });
  await exchanges.close();
  assertEquals(chains.map(({ told }) => told), [["close", "end"], ["close", "end"]]);
  assertEquals(released, ["log 1", "log 2"]);
});
