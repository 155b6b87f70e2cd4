/**
 * How long hai-mcp takes to start, and `hai-mcp owner` and `doctor` to answer, with a long audit
 * trail: `deno task bench:trail [EVENTS]`. Default: 100,000 events.
 *
 * The trail is written by hand after a mission's first events, so that the first start has to verify
 * all of it. From its first change on the checkpoint in the owner's folder holds.
 *
 * @module
 */

import { recordHash } from "../../lib/hai/state/hashes.ts";
import { executable } from "../util/executables.ts";
import { HaiHome } from "../util/hai_home.ts";

const EVENTS = Number(Deno.args[0] ?? "100000");
const encoder = new TextEncoder();

const hai = new HaiHome();
hai.unixMs = Date.now();
const mission = await hai.open();
await hai.authorize(mission.mission_id);
extend(`${hai.home}/audit`, EVENTS);

const env = { HAI_HOME: hai.home, HAI_OWNER_HOME: hai.ownerHome };
await timed("the first start, all verified", () => started());
await timed("a start", () => started());
await timed("a start", () => started());
await timed("hai-mcp owner", () => run("owner"));
await timed("hai-mcp doctor", () => run("doctor"));
await timed("hai-mcp doctor --full", () => run("doctor", "--full"));
hai.remove();

/** Adds events that give no rights to a trail. */
function extend(audit: string, count: number): void {
  const head = JSON.parse(Deno.readTextFileSync(`${audit}/HEAD.json`));
  const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
  let last = { id: head.event_id, hash: head.event_hash };
  for (let i = 1; i <= count; i++) {
    const open = {
      event_id: `A-${stamp.slice(0, 8)}T${stamp.slice(8)}-${i.toString(16).padStart(8, "0")}`,
      event_type: "activity_checked",
      at: new Date().toISOString().replace(/\.\d+/, ""),
      seq: head.seq + i,
      prev_event_id: last.id,
      prev_hash: last.hash,
      session_id: "S-20260901T080100-11112222",
      classification: "in_scope",
    };
    const event = { ...open, event_hash: recordHash(open, "event_hash") };
    Deno.writeTextFileSync(`${audit}/${event.event_id}.json`, JSON.stringify(event), {
      mode: 0o600,
    });
    last = { id: event.event_id, hash: event.event_hash };
  }
  const next = { seq: head.seq + count, event_id: last.id, event_hash: last.hash };
  Deno.writeTextFileSync(`${audit}/HEAD.json`, JSON.stringify(next));
}

/** Starts the server, and waits for its first answer. */
async function started(): Promise<void> {
  const [program = "", ...args] = executable("hai-mcp");
  const child = new Deno.Command(program, {
    args,
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const writer = child.stdin.getWriter();
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "b", version: "1" },
  };
  const lines = [
    { id: 1, method: "initialize", params },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { name: "hai_intake", arguments: { raw: "a note" } } },
  ];
  for (const line of lines) {
    await writer.write(encoder.encode(JSON.stringify({ jsonrpc: "2.0", ...line }) + "\n"));
  }
  let text = "";
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  while (!text.includes('"id":2')) {
    const { value, done } = await reader.read();
    if (done) throw new Error("hai-mcp has ended");
    text += value;
  }
  if (!text.includes("intake_id")) throw new Error(text.slice(0, 1_000));
  await writer.close();
  while (!(await reader.read()).done);
  await child.status;
}

async function run(...words: readonly string[]): Promise<void> {
  const [program = "", ...args] = executable("hai-mcp");
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...args, ...words],
    env,
  })
    .output();
  const said = new TextDecoder().decode(code === 0 ? stdout : stderr);
  if (code > 1) throw new Error(`${words.join(" ")}: ${code}: ${said}`);
}

async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const start = performance.now();
  await work();
  console.log(`${what}: ${((performance.now() - start) / 1_000).toFixed(2)} s`);
}
