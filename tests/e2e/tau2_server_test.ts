/**
 * The τ²-bench fixtures: the server keeps each session's database apart and makes
 * writes take effect; the player plays an episode through the server and through
 * the proxy alike.
 */

import { assert, assertEquals } from "@std/assert";
import { readText } from "../../lib/disk/read_text.ts";
import { readResults } from "../../lib/tau2/read_results.ts";
import { type Tau2Domain, Tau2Tools } from "../../lib/tau2/tools.ts";
import { type Episode, linkEpisode } from "../../lib/trace/episode.ts";
import type { RecordedEvent, RecordedTurn } from "../../lib/trace/recorded_episode.ts";
import type { JsonObject } from "../../lib/json/json.ts";
import { executable, ROOT, util } from "../util/executables.ts";
import { lookups, type PlayedCall, playEpisode, wasLookedUp } from "../util/play_episode.ts";

const TAU2 = `${ROOT}/../shared/data/tau2`;
const isThere = await Deno.stat(TAU2).then(() => true, () => false);
if (!isThere) console.log(`skipped in part: no recorded data at ${TAU2}`);

const EMPTY = { type: "object", properties: {} };
const MANIFEST = {
  domain: "retail",
  tools: [
    {
      name: "get_order_details",
      kind: "read",
      annotations: { readOnlyHint: true },
      inputSchema: EMPTY,
    },
    {
      name: "cancel_pending_order",
      kind: "write",
      annotations: { readOnlyHint: false },
      inputSchema: EMPTY,
    },
  ],
};
const ORDER = {
  order_id: "#W1",
  user_id: "ada_1",
  status: "pending",
  items: [],
  payment_history: [],
};
const DATABASE = { orders: { "#W1": ORDER }, users: {}, products: {} };

/** A folder with an invented shop, laid out as the recorded data is. */
async function shop(): Promise<{ dir: string } & AsyncDisposable> {
  const dir = await Deno.makeTempDir({ prefix: "hoist-test-" });
  await Deno.mkdir(`${dir}/tools`);
  await Deno.mkdir(`${dir}/db`);
  await Deno.writeTextFile(`${dir}/tools/retail-manifest.json`, JSON.stringify(MANIFEST));
  await Deno.writeTextFile(`${dir}/db/retail-db.json.gz`, JSON.stringify(DATABASE));
  return { dir, [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }) };
}

function server(domain: Tau2Domain, dir: string, ...flags: string[]): string[] {
  return [...util("tau2_server"), "--domain", domain, "--data", dir, ...flags];
}

function turn(...calls: (readonly [string, JsonObject])[]): RecordedTurn {
  const made = calls.map(([name, args], i) => (
    { id: `c${i}`, name, arguments: args, by: "agent" as const }
  ));
  return { kind: "assistant", text: null, calls: made, usage: null };
}

function episode(...events: RecordedEvent[]): Episode {
  const [id, agent_model] = ["e", "m"];
  return linkEpisode({
    id,
    task_id: "t",
    trial: 0,
    domain: "retail",
    agent_model,
    reward: 0,
    events,
  });
}

const READ = ["get_order_details", { order_id: "#W1" }] as const;
const CANCEL = ["cancel_pending_order", {
  order_id: "#W1",
  reason: "no longer needed",
}] as const;

Deno.test("the tau2 server's writes take effect, and its state file says what changed", async () => {
  await using data = await shop();
  const stateFile = `${data.dir}/state.json`;
  const said: string[] = [];
  const played = await playEpisode(
    episode({ kind: "user", text: "Cancel it." }, turn(READ, CANCEL), turn(READ), turn(CANCEL)),
    {
      argv: server("retail", data.dir, "--state", stateFile),
      onSpoken: (role, text) => void said.push(`${role}: ${text}`),
      onResult: ({ turn, tool, isError }) => void said.push(`${turn} ${tool} ${isError}`),
    },
  );
  assertEquals([played.code, played.stderr, played.turns], [0, "", 3]);
  assertEquals(said, [
    "user: Cancel it.",
    "0 get_order_details false",
    "0 cancel_pending_order false",
    "1 get_order_details false",
    "2 cancel_pending_order true",
  ]);
  const texts = played.calls.map((c) => c.texts);
  assertEquals(texts.map((t) => t.length), [1, 1, 1, 1]);
  assertEquals(JSON.parse(texts[0]?.[0] ?? "").status, "pending");
  assertEquals(JSON.parse(texts[2]?.[0] ?? "").status, "cancelled");
  assertEquals(texts[3], ["Error: Non-pending order cannot be cancelled"]);
  const state = JSON.parse(await Deno.readTextFile(stateFile));
  assertEquals(Object.keys(state), ["orders"]);
  assertEquals(state.orders["#W1"].status, "cancelled");
});

Deno.test("each HTTP session of the tau2 server has a database of its own", async () => {
  await using data = await shop();
  const [program = "", ...args] = server("retail", data.dir, "--http");
  await using child = new Deno.Command(program, { args, stdout: "piped" }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const url = ((await reader.read()).value ?? "").trim();
  const post = async (session: string, method: string, params: JsonObject) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "mcp-session-id": session },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return { session: response.headers.get("mcp-session-id") ?? "", body: await response.json() };
  };
  const status = async (session: string, [name, args]: readonly [string, JsonObject]) => {
    const { body } = await post(session, "tools/call", { name, arguments: args });
    return JSON.parse(body.result.content[0].text).status;
  };
  const one = await post("", "initialize", { protocolVersion: "2025-06-18" });
  const two = await post("", "initialize", {});
  assertEquals(one.body.result.protocolVersion, "2025-06-18");
  assertEquals(await status(one.session, CANCEL), "cancelled");
  assertEquals(await status(two.session, READ), "pending");
  const listing = await post("", "tools/list", {
    _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" },
  });
  assertEquals(listing.body.result.resultType, "complete");
  assertEquals(
    listing.body.result.tools,
    MANIFEST.tools.map(({ kind: _, ...tool }) => tool),
  );
  await reader.cancel();
});

const made = (tool: string, args: JsonObject, ...texts: string[]): PlayedCall => (
  { tool, arguments: args, turn: 0, texts, isError: false }
);
const APPENDIX =
  '--- Also looked up automatically (current results; no need to repeat these calls) ---\n\nget_order_details {"order_id":"#W1"}:\n{"a":1}\n\nget_order_details {"order_id":"#W2"}:\nline';
const KINDS = {
  domain: "retail",
  tools: { get_order_details: "read", cancel_pending_order: "write" },
} as const;

Deno.test("lookups() reads an appendix and nothing else", () => {
  assertEquals(lookups(APPENDIX), [
    { tool: "get_order_details", arguments: { order_id: "#W1" } },
    { tool: "get_order_details", arguments: { order_id: "#W2" } },
  ]);
  assertEquals(lookups(`{"text": "${APPENDIX}"}`), []);
});

Deno.test("wasLookedUp() counts each lookup once, until a write makes it stale", () => {
  const call = (order_id: string) => ({ tool: "get_order_details", arguments: { order_id } });
  const skips = wasLookedUp(KINDS);
  const seen = [made("find_user", {}, "ada_1", APPENDIX)];
  assertEquals([skips(call("#W2"), []), skips(call("#W2"), seen)], [false, true]);
  assertEquals(skips(call("#W2"), seen), false);
  const later = [...seen, made("find_user", {}, "", APPENDIX), made(...CANCEL, "{}")];
  assertEquals([skips(call("#W1"), later), skips(call("#W2"), later)], [false, true]);
});

Deno.test("playEpisode() does not play a turn whose calls the agent leaves out", async () => {
  await using data = await shop();
  const { turns, skippedTurns, skippedCalls, calls } = await playEpisode(
    episode(turn(READ), turn(READ), turn(READ, CANCEL)),
    {
      argv: server("retail", data.dir),
      agentSkips: ({ tool }, seen) => tool === "get_order_details" && seen.length > 0,
    },
  );
  assertEquals([turns, skippedTurns, skippedCalls], [2, 1, 2]);
  assertEquals(calls.map((c) => [c.turn, c.tool]), [[0, READ[0]], [2, CANCEL[0]]]);
});

for (
  const [domain, file, database] of [
    ["retail", "gpt5-train", "retail-db"],
    ["airline", "sonnet45", "airline-db.reconstructed"],
  ] as const
) {
  Deno.test({
    name: `a recorded ${domain} episode through the proxy gives what the tools give`,
    ignore: !isThere,
    fn: async () => {
      const path = `${TAU2}/trajectories/${domain}/${file}.json.gz`;
      const { episodes } = readResults(await readText(path), { path });
      const isParallel = (e: RecordedEvent) => e.kind === "assistant" && e.calls.length > 1;
      const isWrite = (e: RecordedEvent) =>
        e.kind === "tool_result" && /^(?:cancel|book|modify|update)/.test(e.name);
      const chosen = episodes.find(({ events }) => events.some(isParallel) && events.some(isWrite));
      assert(chosen !== undefined);
      const data = JSON.parse(await readText(`${TAU2}/db/${database}.json.gz`));
      const tools = new Tau2Tools(domain, data);
      const argv = [...executable("hoist-mcp"), "--", ...server(domain, TAU2)];
      const { calls, code } = await playEpisode(chosen, { argv });
      assertEquals(code, 0);
      assertEquals(
        calls.map(({ texts, isError }) => [texts, isError]),
        calls.map((call) => {
          const { text, isError } = tools.callTool(call.tool, call.arguments);
          return [[text], isError];
        }),
      );
    },
  });
}
