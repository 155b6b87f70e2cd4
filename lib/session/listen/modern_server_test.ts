import { assertEquals, assertThrows } from "@std/assert";
import { HandTimers, turns } from "../../../tests/util/hand_timers.ts";
import { ScriptedServer, ScriptedWire } from "../../../tests/util/listen_rig.ts";
import { readMessage } from "../../wire/message.ts";
import { ModernServer, type ServerChainEnds } from "./modern_server.ts";
import { Pulse } from "./pulse.ts";
import type { ClosableLog, ServerChains } from "./server_link.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const REGION = {
  name: "t",
  inputSchema: {
    type: "object",
    properties: { region: { type: "string", "x-mcp-header": "Region" } },
  },
};

function message(value: unknown) {
  return readMessage(encoder.encode(typeof value === "string" ? value : JSON.stringify(value)));
}

/** A request of a host that speaks this revision. */
function request(id: number | string, method: string, { version = "2026-07-28", ...params } = {}) {
  return message({
    jsonrpc: "2.0",
    id,
    method,
    params: { ...params, _meta: { [VERSION_KEY]: version } },
  });
}

/** A log that writes what it records into a transcript. */
function transcriptLog(transcript: string[]): ClosableLog {
  const note = (what: string) => (bytes: Uint8Array) =>
    void transcript.push(`log ${what} ${decoder.decode(bytes)}`);
  return {
    client: note("bytes >"),
    server: note("bytes <"),
    end: (from) => void transcript.push(`log end ${from}`),
    clientLine: note("client"),
    serverLine: note("server"),
    proxy: note("proxy"),
    close: () => Promise.resolve(void transcript.push("log closed")),
  };
}

/** Chains that keep what they are told. `takes` answers, which then come to no host by themselves. */
class ScriptedChains implements ServerChains {
  readonly told: string[] = [];
  /** Whether the next answers are the chains'. */
  takesAnswers = false;

  take(conversation: string | undefined, id: string, line: Uint8Array): void {
    this.told.push(`take ${conversation} ${id} ${decoder.decode(line)}`);
  }
  answer(_message: unknown, line: Uint8Array): boolean {
    this.told.push(`answer ${decoder.decode(line)}`);
    return this.takesAnswers;
  }
  drop(id: string): void {
    this.told.push(`drop ${id}`);
  }
  toolsChanged(): void {
    this.told.push("toolsChanged");
  }
  close(): Promise<void> {
    return Promise.resolve(void this.told.push("close"));
  }
}

/** One server with its surroundings; modern from the start unless a row says otherwise. */
function rig({ isModern = true, versions = [] as string[], withChains = false } = {}) {
  const transcript: string[] = [];
  const said: string[] = [];
  const timers = new HandTimers();
  const chains = new ScriptedChains();
  let ends: ServerChainEnds | undefined;
  let link: ScriptedServer | undefined;
  const server = new ModernServer(
    {
      start: (hooks) => link = new ScriptedServer(hooks),
      pulse: new Pulse(timers),
      timers,
      say: (line) => void said.push(line),
      openLog: () => {
        transcript.push("log opened");
        return transcriptLog(transcript);
      },
      chains: withChains ? (given) => (ends = given, chains) : undefined,
      monotonicMs: () => 0,
    },
    isModern,
    versions,
  );
  if (link === undefined) throw new Error("no server was started");
  const ask = (
    asked: ReturnType<typeof message>,
    { json = true, events = true, conversation = undefined as string | undefined } = {},
  ) => {
    const wire = new ScriptedWire();
    server.ask(asked, { accepts: { json, events }, wire, conversation });
    return wire;
  };
  return { server, link, ask, transcript, said, timers, chains, ends };
}

Deno.test("ModernServer opens the log of a server known as modern at once, of another after discovery", async () => {
  assertEquals(rig().transcript, ["log opened"]);
  const { server, link, transcript } = rig({ isModern: false });
  const found = server.discover();
  assertEquals([transcript, server.isModern], [[], false]);
  link.says({ jsonrpc: "2.0", id: "hoist-1", result: { supportedVersions: ["2026-07-28"] } });
  await turns();
  assertEquals([transcript.slice(0, 1), server.isModern], [["log opened"], true]);
  link.says({ jsonrpc: "2.0", id: "hoist-2", error: { code: -32601, message: "no tools" } });
  await found;
  assertEquals(link.lines.map((line) => JSON.parse(line).method), [
    "server/discover",
    "tools/list",
  ]);
});

Deno.test("ModernServer opens no log for a server that refuses discovery", async () => {
  const { server, link, transcript } = rig({ isModern: false });
  const found = server.discover();
  link.says({ jsonrpc: "2.0", id: "hoist-1", error: { code: -32601, message: "no" } });
  await found;
  assertEquals([server.isModern, transcript, link.lines.length], [false, [], 1]);
});

Deno.test("ModernServer leaves no log when its server cannot start", () => {
  const opened: string[] = [];
  const timers = new HandTimers();
  assertThrows(
    () =>
      new ModernServer(
        {
          start: () => {
            throw new Error("cannot start x");
          },
          pulse: new Pulse(timers),
          timers,
          say: () => {},
          openLog: () => void opened.push("opened"),
          monotonicMs: () => 0,
        },
        true,
        [],
      ),
    Error,
    "cannot start x",
  );
  assertEquals(opened, []);
});

Deno.test("ModernServer asks in its own name, and forgets a request that timed out", async () => {
  const { server, link, timers, said } = rig();
  const found = server.discover();
  assertEquals(link.last, {
    jsonrpc: "2.0",
    id: "hoist-1",
    method: "tools/list",
    params: {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "hoist-mcp", version: "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  });
  assertEquals(timers.pending, [5_000]);
  await timers.ring();
  await found;
  link.says({ jsonrpc: "2.0", id: "hoist-1", result: { tools: [REGION] } });
  const late = server.paramsOf(request(1, "tools/call", { name: "t" } as object));
  assertEquals([late, said], [[], []], "a late answer teaches nothing");
});

/** Revisions that the server named, the one a request speaks, and whether it is refused. */
const REVISIONS: readonly (readonly [
  why: string,
  named: string[],
  asked: string,
  isRefused: boolean,
])[] = [
  ["the server named it", ["2026-07-28"], "2026-07-28", false],
  ["one of several", ["2026-07-28", "2027-01-01"], "2027-01-01", false],
  ["a server that named none takes any", [], "2030-01-01", false],
  ["another than the named one", ["2026-07-28"], "2027-01-01", true],
  ["a part of a name is no name", ["2026-07-28"], "2026-07", true],
];

for (const [why, named, asked, isRefused] of REVISIONS) {
  Deno.test(`ModernServer.versionFault() of ${asked}: ${why}`, () => {
    const { server } = rig({ versions: named });
    const fault = server.versionFault(request(1, "ping", { version: asked }));
    const refused = {
      code: -32022,
      message: "Unsupported protocol version",
      data: { supported: named, requested: asked },
    };
    assertEquals(fault, isRefused ? refused : undefined);
  });
}

Deno.test("ModernServer.versionFault() reads a request without a version as one of none", () => {
  const { server } = rig({ versions: ["2026-07-28"] });
  const fault = server.versionFault(message({ jsonrpc: "2.0", id: 1, method: "ping" }));
  assertEquals(fault?.data, { supported: ["2026-07-28"], requested: "" });
});

Deno.test("ModernServer learns headers of tools from the lists of hosts, for calls alone", () => {
  const { server, link, ask } = rig();
  const call = request(2, "tools/call", { name: "t" } as object);
  assertEquals(server.paramsOf(call), []);
  ask(request(1, "tools/list"));
  link.says({ jsonrpc: "2.0", id: link.last.id, result: { tools: [REGION] } });
  assertEquals(server.paramsOf(call).map(({ header }) => header), ["Mcp-Param-Region"]);
  assertEquals(server.paramsOf(request(3, "prompts/get", { name: "t" } as object)), []);
  assertEquals(server.paramsOf(request(3, "tools/call", { name: "u" } as object)), []);
});

Deno.test("ModernServer routes by its own ids, and gives each host its id back", () => {
  const { server, link, ask } = rig();
  const a = ask(request("x", "tools/call"));
  const b = ask(request("x", "tools/call"));
  assertEquals(link.lines.map((line) => JSON.parse(line).id), [1, 2]);
  assertEquals(server.isActive, true);
  link.says({ jsonrpc: "2.0", id: 2, result: { n: 2 } });
  link.says({ jsonrpc: "2.0", id: 1, result: { n: 1 } });
  assertEquals([a.json, b.json], [
    { jsonrpc: "2.0", id: "x", result: { n: 1 } },
    { jsonrpc: "2.0", id: "x", result: { n: 2 } },
  ]);
  assertEquals(server.isActive, false);
});

Deno.test("ModernServer drops a response to nobody, and a second one to the same request", () => {
  const { link, ask, said } = rig();
  const wire = ask(request(1, "ping"));
  link.says({ jsonrpc: "2.0", id: 99, result: {} });
  assertEquals(wire.sent, undefined);
  link.says({ jsonrpc: "2.0", id: 1, result: { n: 1 } }, { jsonrpc: "2.0", id: 1, result: {} });
  assertEquals(wire.sent, '200 {"jsonrpc":"2.0","id":1,"result":{"n":1}}');
  assertEquals(said, []);
});

/** The code of an error, and the status of the body it comes in. */
const STATUSES: readonly (readonly [code: number, status: string])[] = [
  [-32601, "404"],
  [-32602, "200"],
  [-32603, "200"],
  [-32022, "400"],
  [-32000, "200"],
  [7, "200"],
];

for (const [code, status] of STATUSES) {
  Deno.test(`ModernServer answers error ${code} with HTTP ${status}`, () => {
    const { link, ask } = rig();
    const wire = ask(request(1, "ping"));
    link.says({ jsonrpc: "2.0", id: 1, error: { code, message: "no" } });
    assertEquals(wire.sent?.slice(0, 3), status);
  });
}

Deno.test("ModernServer streams progress with the host's token, then the answer", () => {
  const { link, ask } = rig();
  const wire = ask(message({
    jsonrpc: "2.0",
    id: 7,
    method: "tools/call",
    params: { _meta: { progressToken: "mine" } },
  }));
  assertEquals(link.last.params._meta.progressToken, 1);
  const progress = { progressToken: 1, progress: 0.5 };
  link.says({ jsonrpc: "2.0", method: "notifications/progress", params: progress });
  assertEquals(wire.isClosed, false);
  link.says({ jsonrpc: "2.0", id: 1, result: {} });
  assertEquals([wire.messages, wire.isClosed], [[
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":0.5}}',
    '{"jsonrpc":"2.0","id":7,"result":{}}',
  ], true]);
});

Deno.test("ModernServer cancels a request whose host leaves once, and drops the answer to it", () => {
  const { server, link, ask } = rig();
  const wire = ask(request(1, "ping"));
  wire.leave();
  wire.leave();
  assertEquals([link.lines.length, link.last], [2, {
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: 1, reason: "the host has closed the stream" },
  }]);
  link.says({ jsonrpc: "2.0", id: 1, result: {} });
  assertEquals([wire.sent, server.isActive], [undefined, false]);
});

Deno.test("ModernServer cancels nothing when a host leaves that has its answer", () => {
  const { link, ask } = rig();
  const wire = ask(request(1, "ping"));
  link.says({ jsonrpc: "2.0", id: 1, result: {} });
  wire.leave();
  assertEquals(link.lines.length, 1);
});

Deno.test("ModernServer answers for a line that is not JSON, and says the ones of nobody", () => {
  const { link, ask, said, transcript } = rig();
  const wire = ask(request("a", "ping"));
  link.says('{"jsonrpc":"2.0","id":1,"result":');
  const line = '{"jsonrpc":"2.0","id":"a","error":' +
    '{"code":-32603,"message":"the server\'s answer is not JSON"}}';
  assertEquals(wire.sent, `200 ${line}`);
  assertEquals(transcript.at(-1), `log proxy ${line}`);
  link.says("", "banner", '{"jsonrpc":"2.0","id":1,"result":');
  const unreadable = "a line of the server is not JSON; hosts over HTTP do not get it";
  assertEquals(said, [unreadable, unreadable], "an empty line is no news");
});

Deno.test("ModernServer fails what waits when its server exits, then closes the log", async () => {
  const { server, link, ask, transcript } = rig();
  const wires = [ask(request(1, "ping")), ask(request("b", "ping"))];
  const own = server.discover();
  await link.exits(3);
  await Promise.all([own, server.over]);
  assertEquals(wires.map(({ json }) => [json.id, json.error.code, json.error.message]), [
    [1, -32603, "the server has exited with status 3"],
    ["b", -32603, "the server has exited with status 3"],
  ]);
  assertEquals(transcript.map((line) => line.slice(0, 10)), [
    "log opened",
    "log proxy ",
    "log proxy ",
    "log closed",
  ]);
});

Deno.test("ModernServer gives a server that closes its output 100 ms to exit with its status", async () => {
  const { link, ask, timers } = rig();
  const wire = ask(request(1, "ping"));
  assertEquals(timers.pending, [25], "the clock of replies");
  link.closesOutput();
  assertEquals(timers.pending, [25, 100]);
  await link.exits(0);
  assertEquals(wire.json.error.message, "the server has exited with status 0");
});

Deno.test("ModernServer.close() and stop() end the server, and say that it was asked", () => {
  const closed = rig();
  assertEquals(closed.server.wasAsked, false);
  closed.server.close();
  assertEquals([closed.link.ended, closed.server.wasAsked], ["closed", true]);
  const stopped = rig();
  stopped.server.stop();
  assertEquals([stopped.link.ended, stopped.server.wasAsked], ["terminated", true]);
});

Deno.test("ModernServer records bytes where there is no chain, and lines where there is one", () => {
  const bytes = rig();
  bytes.link.hooks.tap?.client(encoder.encode("c"));
  bytes.link.hooks.tap?.server(encoder.encode("s"));
  bytes.link.hooks.tap?.end("server");
  bytes.server.send(encoder.encode("{}"));
  assertEquals(bytes.transcript, [
    "log opened",
    "log bytes > c",
    "log bytes < s",
    "log end server",
  ]);
  const lines = rig({ withChains: true });
  assertEquals(lines.link.hooks.tap, undefined);
  lines.server.send(encoder.encode("{\n}"));
  lines.link.says({ method: "n" });
  assertEquals(lines.transcript, ["log opened", "log client { }", 'log server {"method":"n"}']);
});

Deno.test("ModernServer hands requests to the chains by conversation, and sends none itself", () => {
  const { link, ask, chains, ends } = rig({ withChains: true });
  ask(message('{"jsonrpc":"2.0",\n"id":"h","method":"m"}'), { conversation: "talk" });
  assertEquals(chains.told, ['take talk 1 {"jsonrpc":"2.0", "id":1,"method":"m"}']);
  assertEquals(link.lines, []);
  ends?.toServer(encoder.encode("from a chain"));
  assertEquals(link.lines, ["from a chain"]);
});

Deno.test("ModernServer leaves an answer that a chain holds to it, until it lets it go", () => {
  const { link, ask, chains, ends, transcript } = rig({ withChains: true });
  const wire = ask(request("h", "ping"));
  chains.takesAnswers = true;
  link.says({ jsonrpc: "2.0", id: 1, result: {} });
  assertEquals([wire.sent, transcript], [undefined, ["log opened"]], "the chain records it");
  ends?.toHost(message({ jsonrpc: "2.0", id: 1, result: { by: "chain" } }));
  assertEquals(wire.sent, '200 {"jsonrpc":"2.0","id":"h","result":{"by":"chain"}}');
});

Deno.test("ModernServer tells chains what a host gave up, and that tools have changed", async () => {
  const { link, ask, chains } = rig({ withChains: true });
  ask(request(1, "ping")).leave();
  assertEquals(chains.told.at(-1), "drop 1");
  link.says({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  assertEquals(chains.told.at(-1), "toolsChanged");
  await link.exits(0);
  assertEquals(chains.told.at(-1), "close");
});

Deno.test("ModernServer numbers its requests and those of its chains in one row", async () => {
  const { server, link, ends } = rig({ withChains: true });
  assertEquals(ends?.nextNumber(), 1);
  const found = server.discover();
  assertEquals(link.last.id, "hoist-2");
  link.says({ jsonrpc: "2.0", id: "hoist-2", result: { tools: [] } });
  await found;
  assertEquals(ends?.nextNumber(), 3);
});
