import { assertEquals, assertStringIncludes } from "@std/assert";
import { Restart } from "./restart.ts";
import type { RestartEffect, RestartEvent, ServerLine } from "./restart_effects.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A session without processes: what is done is a transcript. */
class Rig {
  readonly machine: Restart;
  tMs = 0;

  constructor(isWatching = false) {
    this.machine = new Restart({ isWatching });
  }

  on(event: RestartEvent): string[] {
    return this.machine.on(event, this.tMs).flatMap(written);
  }

  host(...messages: readonly unknown[]): string[] {
    return messages.flatMap((message) => this.on({ kind: "host", line: bytesOf(message) }));
  }

  server(...messages: readonly unknown[]): string[] {
    return messages.flatMap((message) => this.on({ kind: "server", line: bytesOf(message) }));
  }

  gone(code = 137, unsent: readonly ServerLine[] = []): string[] {
    return this.on({ kind: "gone", code, unsent });
  }

  /** A host and a server that have greeted each other. */
  greet(capabilities: unknown = { tools: {} }): this {
    this.host(INITIALIZE);
    this.server(answer(0, capabilities));
    this.host(INITIALIZED);
    return this;
  }

  /** The server ends, starts again, and answers the greeting. */
  again(capabilities: unknown = { tools: {} }): string[] {
    this.on({ kind: "alarm" });
    return this.server(answer("hoist-restart-1", capabilities));
  }
}

const INITIALIZE = {
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: { roots: {} } },
};
const INITIALIZED = { method: "notifications/initialized" };

function answer(id: unknown, capabilities: unknown, protocolVersion = "2025-11-25") {
  return { id, result: { protocolVersion, capabilities } };
}
function call(id: unknown, name = "write") {
  return { id, method: "tools/call", params: { name } };
}

function bytesOf(message: unknown): Uint8Array {
  return encoder.encode(typeof message === "string" ? message : JSON.stringify(message));
}

function written(effect: RestartEffect): string[] {
  switch (effect.kind) {
    case "toServer":
      return [`> ${decoder.decode(effect.line.bytes)}`];
    case "toHost":
      return [`${effect.isOwn ? "<<" : "<"} ${decoder.decode(effect.line)}`];
    case "record":
      return [];
    case "alarm":
      return [`alarm ${effect.ms}`];
    case "stop":
      return [effect.isKill ? "kill" : "stop"];
    case "say":
      return [`say ${effect.text}`];
    case "over":
      return [`over ${effect.code}`];
    default:
      return [effect.kind];
  }
}

/** What went to the server or the host, without our own words. */
function crossed(transcript: readonly string[], way: ">" | "<" | "<<"): string[] {
  return transcript.filter((line) => line.startsWith(`${way} `))
    .map((line) => line.slice(way.length + 1));
}
const json = (message: unknown) => JSON.stringify(message);

Deno.test("Restart passes lines as they are, also those it cannot read", () => {
  const rig = new Rig();
  assertEquals(rig.host(call(1), "not json"), [`> ${json(call(1))}`, "> not json"]);
  assertEquals(rig.server({ id: 1, result: {} }, "[1"), [`< {"id":1,"result":{}}`, "< [1"]);
});

Deno.test("Restart greets the next server with the host's own words, and restores what was set", () => {
  const rig = new Rig().greet();
  const level = { id: 5, method: "logging/setLevel", params: { level: "debug" } };
  const subscribe = (id: number, uri: string, un = "") => ({
    id,
    method: `resources/${un}subscribe`,
    params: { uri },
  });
  rig.host(level, subscribe(6, "a"), subscribe(7, "b"), subscribe(8, "b", "un"));
  for (const id of [5, 6, 7, 8]) rig.server({ id, result: {} });
  assertEquals(rig.gone(), [
    "say the server has ended (exit status 137); starting it again (crash 1 of 5 within a minute)",
    "alarm 50",
  ]);
  assertEquals(rig.on({ kind: "alarm" }), [
    "start",
    `> ${json({ ...INITIALIZE, id: "hoist-restart-1" })}`,
    "alarm 60000",
  ]);
  assertEquals(rig.server(answer("hoist-restart-1", { tools: {} })), [
    `> ${json(INITIALIZED)}`,
    `> ${json({ ...level, id: "hoist-restart-2" })}`,
    `> ${json({ ...subscribe(6, "a"), id: "hoist-restart-3" })}`,
    "noAlarm",
    "say the server runs again",
    '<< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
  ]);
  assertEquals(rig.server({ id: "hoist-restart-2", result: {} }), [], "answers to us stay here");
});

Deno.test("Restart answers a call that was sent, and says so", () => {
  const rig = new Rig().greet();
  rig.host(call("a"));
  const [error = ""] = crossed(rig.gone(1), "<<");
  assertEquals(JSON.parse(error), {
    jsonrpc: "2.0",
    id: "a",
    error: {
      code: -32603,
      message: "The server has ended (exit status 1); it had this request. " +
        "It was sent: it is not known whether it was done.",
      data: { sent: true },
    },
  });
  assertEquals(crossed(rig.again(), ">"), [json(INITIALIZED)], "it is not made again");
});

Deno.test("Restart sends once what the server had not taken, and what came while it was down", () => {
  const rig = new Rig().greet();
  rig.host(call(1));
  const unsent = [{ bytes: bytesOf(call(1)), isOwn: false }];
  assertEquals(crossed(rig.gone(1, unsent), "<<"), []);
  assertEquals(rig.host(call(2)), []);
  assertEquals(crossed(rig.again(), ">"), [json(INITIALIZED), json(call(1)), json(call(2))]);
});

Deno.test("Restart makes calls of tools again that say they only read, once", () => {
  const rig = new Rig().greet();
  const tools = [{ name: "look", annotations: { readOnlyHint: true } }, { name: "write" }];
  rig.host({ id: 1, method: "tools/list" });
  rig.server({ id: 1, result: { tools } });
  rig.host(call(2, "look"), call(3, "write"), { id: 4, method: "resources/read" });
  const failed = crossed(rig.gone(), "<<").map((line) => JSON.parse(line).id);
  assertEquals(failed, [3]);
  const again = [call(2, "look"), { id: 4, method: "resources/read" }].map(json);
  assertEquals(crossed(rig.again(), ">"), [json(INITIALIZED), ...again]);
  const second = crossed(rig.gone(), "<<").map((line) => JSON.parse(line).id);
  assertEquals(second, [2, 4], "a request that ends its server does not end each next one");
});

Deno.test("Restart makes no call again of a batch, of a task, or after a change of the server", () => {
  const look = [{ name: "look", annotations: { readOnlyHint: true } }];
  const rows: readonly (readonly [unknown, boolean])[] = [
    [[call(2, "look"), { id: 3, method: "ping" }], false],
    [{ id: 2, method: "tools/call", params: { name: "look", task: {} } }, false],
    [call(2, "look"), true],
  ];
  for (const [line, isPlanned] of rows) {
    const rig = new Rig(true).greet();
    rig.host({ id: 1, method: "tools/list" });
    rig.server({ id: 1, result: { tools: look } });
    rig.host(line);
    if (isPlanned) {
      rig.on({ kind: "saved" });
      rig.on({ kind: "alarm" });
    }
    const ids = crossed(rig.gone(), "<<").map((one) => JSON.parse(one).id);
    assertEquals(ids.includes(2), true, json(line));
  }
});

Deno.test("Restart sends the host's own initialize again that was not answered", () => {
  const rig = new Rig();
  rig.host(INITIALIZE);
  assertEquals(crossed(rig.gone(), "<<"), []);
  assertEquals(rig.on({ kind: "alarm" }), ["start", `> ${json(INITIALIZE)}`]);
  assertEquals(rig.server(answer(0, {})), [`< ${json(answer(0, {}))}`]);
});

Deno.test("Restart sends initialized once, though it came while the server was down", () => {
  const rig = new Rig();
  rig.host(INITIALIZE);
  rig.server(answer(0, { tools: {} }));
  rig.gone();
  rig.host(INITIALIZED);
  assertEquals(crossed(rig.again(), ">"), [json(INITIALIZED)]);
});

/** What a new server answers, and why the session ends. */
const REFUSED: readonly (readonly [unknown, string])[] = [
  [answer("hoist-restart-1", { tools: {} }, "2025-06-18"), "it speaks protocol version 2025-06-18"],
  [answer("hoist-restart-1", {}), "it no longer offers the capability tools"],
  [answer("hoist-restart-1", { tools: { listChanged: false } }), "capability tools.listChanged"],
  [{ id: "hoist-restart-1", error: { code: 1, message: "no" } }, "it refuses the session: no"],
];

for (const [reply, why] of REFUSED) {
  Deno.test(`Restart ends the session after a restart: ${why}`, () => {
    const rig = new Rig().greet({ tools: { listChanged: true } });
    rig.gone();
    rig.host(call(9));
    rig.on({ kind: "alarm" });
    const transcript = rig.server(reply);
    assertStringIncludes(transcript.find((line) => line.startsWith("say ")) ?? "", why);
    assertEquals(crossed(transcript, "<<").map((line) => JSON.parse(line).error.data), [
      { sent: false },
    ]);
    assertEquals(transcript.at(-1), "kill");
    assertEquals(rig.gone(137).at(-1), "over 125");
  });
}

Deno.test("Restart ends after five crashes within a minute, and forgets those before", () => {
  const rig = new Rig().greet();
  for (let crash = 0; crash < 8; crash++) {
    rig.tMs += 20_000;
    assertEquals(rig.gone().some((line) => line.startsWith("alarm")), true);
    rig.on({ kind: "alarm" });
  }
  const after = [1, 2, 3].map(() => {
    const transcript = rig.gone(4);
    rig.on({ kind: "alarm" });
    return transcript.filter((line) => !line.startsWith("say") && line !== "noAlarm");
  });
  assertEquals(after, [["alarm 3200"], ["over 4"], []]);
});

Deno.test("Restart waits for a save after five crashes of a watched server", () => {
  const rig = new Rig(true).greet();
  for (let crash = 0; crash < 4; crash++) {
    rig.gone();
    rig.on({ kind: "alarm" });
  }
  rig.host(call(1));
  const transcript = rig.gone();
  assertEquals(crossed(transcript, "<<").map((line) => JSON.parse(line).id), [1]);
  assertEquals(rig.machine.phase, "waiting");
  assertEquals(crossed(rig.host(call(2)), "<<").map((line) => JSON.parse(line).error.data), [
    { sent: false },
  ]);
  assertEquals(rig.on({ kind: "saved" })[0], "start");
  assertEquals(rig.gone()[1], "alarm 50", "the count starts over");
});

Deno.test("Restart drains before a restart on purpose", () => {
  const rig = new Rig(true).greet();
  rig.host(call(1));
  assertEquals(rig.on({ kind: "saved" }), ["alarm 10000"]);
  assertEquals(rig.host(call(2)), [], "held for the new server");
  assertEquals(rig.server({ id: 1, result: {} }), ['< {"id":1,"result":{}}', "noAlarm", "stop"]);
  assertEquals(rig.gone(143)[0], "start", "no back-off");
  assertEquals(crossed(rig.server(answer("hoist-restart-1", { tools: {} })), ">"), [
    json(INITIALIZED),
    json(call(2)),
  ]);
});

Deno.test("Restart restarts once more for a save that came while a server was greeted", () => {
  const rig = new Rig(true).greet();
  rig.gone();
  rig.on({ kind: "alarm" });
  assertEquals(rig.on({ kind: "saved" }), []);
  assertEquals(rig.server(answer("hoist-restart-1", { tools: {} })).at(-1), "stop");
});

Deno.test("Restart kills a new server that does not answer the greeting", () => {
  const rig = new Rig().greet();
  rig.gone();
  rig.on({ kind: "alarm" });
  assertEquals(rig.on({ kind: "alarm" }).at(-1), "kill");
  assertEquals(rig.gone()[1], "alarm 200");
});

Deno.test("Restart keeps a cancelled request from the next server", () => {
  const rig = new Rig().greet();
  const cancel = (requestId: number) => ({
    method: "notifications/cancelled",
    params: { requestId },
  });
  rig.host(call(1), cancel(1));
  assertEquals(crossed(rig.gone(), "<<"), [], "the host expects no answer");
  rig.host(call(2), cancel(2), call(3));
  assertEquals(crossed(rig.again(), ">"), [json(INITIALIZED), json(call(3))]);
});

Deno.test("Restart keeps the requests of two servers apart that count their ids alike", () => {
  const rig = new Rig().greet();
  const ask = { id: 1, method: "roots/list" };
  const reply = (id: unknown) => ({ id, result: { roots: [] } });
  rig.server(ask);
  assertEquals(JSON.parse(crossed(rig.gone(), "<<")[0] ?? "").params.requestId, 1);
  rig.again();
  assertEquals(rig.server(ask), [`< ${json({ ...ask, id: "hoist-asked-1" })}`]);
  assertEquals(rig.host(reply(1)), [], "the server that asked is gone");
  assertEquals(rig.host(reply("hoist-asked-1")), [`> ${json(reply(1))}`]);
});

Deno.test("Restart starts nothing once the host has closed", () => {
  const up = new Rig().greet();
  assertEquals(up.on({ kind: "closing" }), ["noAlarm"]);
  assertEquals(up.gone(0), ["noAlarm", "over 0"]);
  const down = new Rig().greet();
  down.gone(9);
  down.host(call(1));
  const transcript = down.on({ kind: "closing" });
  assertEquals(crossed(transcript, "<<").map((line) => JSON.parse(line).id), [1]);
  assertEquals(transcript.at(-1), "over 9");
});

Deno.test("Restart makes a modern host's subscription again, and tells it of changes there", () => {
  const rig = new Rig();
  const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
  const discover = { id: 0, method: "server/discover", params: { _meta: meta } };
  const offer = (id: unknown) => ({
    id,
    result: { supportedVersions: ["2026-07-28"], capabilities: { tools: { listChanged: true } } },
  });
  const listen = {
    id: 1,
    method: "subscriptions/listen",
    params: { _meta: meta, notifications: { toolsListChanged: true } },
  };
  const subscription = { _meta: { "io.modelcontextprotocol/subscriptionId": 1 } };
  const acknowledged = {
    method: "notifications/subscriptions/acknowledged",
    params: subscription,
  };
  rig.host(discover);
  rig.server(offer(0));
  rig.host(listen);
  assertEquals(rig.server(acknowledged).length, 1);
  rig.gone();
  rig.on({ kind: "alarm" });
  const transcript = rig.server(offer("hoist-restart-1"));
  assertEquals(crossed(transcript, ">"), [json(listen)]);
  assertEquals(crossed(transcript, "<<").map((line) => JSON.parse(line)), [{
    jsonrpc: "2.0",
    method: "notifications/tools/list_changed",
    params: subscription,
  }]);
  assertEquals(rig.server(acknowledged), [], "the host has this one");
});
