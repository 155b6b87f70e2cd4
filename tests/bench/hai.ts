/**
 * What the hai tools cost against a tool that does nothing on the same SDK, and
 * against the flushes their changes need. Prints ratios; docs/performance_hai.md
 * says what was measured.
 *
 * Usage: deno run -A tests/bench/hai.ts [ROUNDS]
 *
 * @module
 */

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const ROUNDS = Number(Deno.args[0] ?? "200");
const ROOT = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "hai-bench-" }));
const HAI = new URL("../../cmd/hai_mcp.ts", import.meta.url).pathname;
const NOOP = new URL("./noop_server.ts", import.meta.url).pathname;

interface Peer {
  readonly client: Client;
  call(name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
}

async function connect(script: string, ...args: readonly string[]): Promise<Peer> {
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: Deno.execPath(),
      args: ["run", "-A", "--no-check", script, ...args],
      env: {
        HAI_HOME: `${ROOT}/home`,
        HAI_OWNER_HOME: `${ROOT}/owner`,
        HOME: Deno.env.get("HOME") ?? "/",
        PATH: Deno.env.get("PATH") ?? "",
      },
    }),
  );
  return {
    client,
    async call(name, args = {}) {
      const { structuredContent } = await client.callTool({ name, arguments: args });
      const reply = (structuredContent ?? {}) as Record<string, unknown>; // Checked below.
      if (reply.ok !== true) throw new Error(JSON.stringify(reply));
      return reply;
    },
  };
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** Medians of several calls made in turns, so that they see the same machine. */
async function time(...runs: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const times = runs.map((): number[] => []);
  for (let i = 0; i < ROUNDS + 20; i++) {
    for (const [n, run] of runs.entries()) {
      const started = performance.now();
      await run();
      if (i >= 20) times[n]?.push((performance.now() - started) * 1000);
    }
  }
  return times.map(median);
}

/**
 * Times a call and, between the rounds, the flushes it needs: a new small file and
 * a folder after a rename in it, done as a state file is written. In turns, since
 * the disk may be shared.
 */
async function timeWrite(
  needed: { readonly files: number; readonly folders: number },
  run: () => Promise<unknown>,
): Promise<{ readonly us: number; readonly flushes: number }> {
  const dir = `${ROOT}/flush`;
  Deno.mkdirSync(dir, { recursive: true });
  const calls: number[] = [];
  const flushes: number[] = [];
  for (let i = 0; i < ROUNDS + 20; i++) {
    const started = performance.now();
    await run();
    if (i < 20) continue;
    calls.push((performance.now() - started) * 1000);
    flushes.push(flushOnce(dir, needed));
  }
  return { us: median(calls), flushes: median(flushes) };
}

/** Microseconds the flushes alone took. */
function flushOnce(dir: string, needed: { files: number; folders: number }): number {
  let us = 0;
  const flush = (file: Deno.FsFile) => {
    const started = performance.now();
    file.syncSync();
    us += (performance.now() - started) * 1000;
    file.close();
  };
  for (let n = 0; n < needed.files; n++) {
    const file = Deno.openSync(`${dir}/new`, { write: true, createNew: true });
    file.writeSync(new Uint8Array(800));
    flush(file);
    Deno.renameSync(`${dir}/new`, `${dir}/${n === 0 ? crypto.randomUUID() : "same"}`);
    if (n < needed.folders) flush(Deno.openSync(dir));
  }
  return us;
}

/** Files and folders a call flushes: each file, each folder, and the journal with its folder. */
const FLUSHES: Record<string, { readonly files: number; readonly folders: number }> = {
  hai_park: { files: 1, folders: 1 },
  hai_set_focus: { files: 1, folders: 1 },
  hai_intake: { files: 1, folders: 1 },
  hai_check_activity: { files: 3, folders: 2 }, // Event, HEAD, journal; audit/, state root.
  hai_park_item: { files: 4, folders: 3 },
};

function show(label: string, us: number, ratio: number, aim: string): void {
  console.log(`${label.padEnd(24)}${us.toFixed(0).padStart(7)} µs  ${ratio.toFixed(2)}  ${aim}`);
}

/** Milliseconds until a client is connected, and until it has the tools; servers in turns. */
async function startUps() {
  const times = { empty: [] as number[], full: [] as number[] };
  const lists = { empty: [] as number[], full: [] as number[] };
  for (let i = 0; i < 14; i++) {
    for (const [name, script] of [["empty", NOOP], ["full", HAI]] as const) {
      const started = performance.now();
      const peer = await connect(script);
      if (i > 1) times[name].push(performance.now() - started);
      await peer.client.listTools();
      if (i > 1) lists[name].push(performance.now() - started);
      await peer.client.close();
    }
  }
  return {
    empty: median(times.empty),
    full: median(times.full),
    emptyList: median(lists.empty),
    fullList: median(lists.full),
  };
}

try {
  Deno.mkdirSync(`${ROOT}/project`);
  const noop = await connect(NOOP);
  const hai = await connect(HAI);
  const { mission_id } = await hai.call("hai_open_mission", {
    objective: "o",
    artifact: "a",
    owner: "o",
    done_criteria: [{ description: "d" }],
    constraints: { project_path: `${ROOT}/project` },
  });
  const { session_id } = await hai.call("hai_authorize_session", {
    mission_id,
    contract_version: 1,
    agent_identity: "a",
    role: "r",
    contribution: "c",
    expected_result: "e",
    duration_minutes: 60,
    criterion_ids: ["dc-1"],
  });
  const low = await connect(NOOP, "low");
  const nothing = () => noop.call("noop", { text: "x" });
  const unchecked = () => low.call("noop", { text: "x" });
  const reads: [string, Record<string, unknown>][] = [
    ["hai_health", {}],
    ["hai_status", {}],
    ["hai_get_mission", {}],
    ["hai_get_contract", { session_id }],
    ["hai_list_sessions", {}],
    ["hai_recover", {}],
    ["hai_get_next_step", { project_path: `${ROOT}/project` }],
  ];
  console.log("reading tools, against the no-op tool in turns");
  let base = NaN;
  for (const [name, args] of reads) {
    const [us = NaN, noopUs = NaN, bare = NaN] = await time(
      () => hai.call(name, args),
      nothing,
      unchecked,
    );
    base = noopUs;
    const beside = `no-op ${noopUs.toFixed(0)} µs, ${(us / bare).toFixed(2)} of nothing checked`;
    show(`  ${name}`, us, us / noopUs, `aim ≤ 3  (${beside})`);
  }
  await low.client.close();
  const origin = { origin_session_id: session_id, mission_id };
  const writes: [string, Record<string, unknown>][] = [
    ["hai_park", { text: "t" }],
    ["hai_set_focus", { focus_id: "a" }],
    ["hai_intake", { raw: "t" }],
    ["hai_check_activity", { session_id, activity_step: "s", criterion_id: "dc-1" }],
    ["hai_park_item", { idea: "i", trigger_event: "t", rationale: "r", ...origin }],
  ];
  console.log("writing tools, (time − no-op) against their flushes");
  for (const [name, args] of writes) {
    const needed = FLUSHES[name] ?? { files: 0, folders: 0 };
    const { us, flushes } = await timeWrite(needed, () => hai.call(name, args));
    show(`  ${name}`, us, (us - base) / flushes, `aim ≤ 3  (flushes ${flushes.toFixed(0)} µs)`);
  }
  await noop.client.close();
  await hai.client.close();
  const { empty, full, emptyList, fullList } = await startUps();
  console.log(
    `start-up ${full.toFixed(0)} ms, no-op server ${empty.toFixed(0)} ms: ` +
      `${(full / empty).toFixed(2)}  aim ≤ 1.3`,
  );
  console.log(
    `  and until the tools are listed ${fullList.toFixed(0)} ms, ${emptyList.toFixed(0)} ms`,
  );
} finally {
  Deno.removeSync(ROOT, { recursive: true });
}
