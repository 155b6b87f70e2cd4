/**
 * Plays hai-mcp on a small disk of its own that fills up, and then on one that is read-only; prints
 * what it saw as JSON. Arguments: the mount point, a folder on another disk.
 *
 * @module
 */

import { diagnose } from "../../lib/commands/hai/hai_repair_command.ts";
import { HaiShell } from "../../lib/hai/shell/hai_shell.ts";
import { readHaiConfig } from "../../lib/hai/state/config.ts";

const [disk = "", elsewhere = ""] = Deno.args;
const PAGE = 4096;
/** More pages than a call writes. */
const MOST = 24;

const env: Record<string, string> = { HAI_HOME: `${disk}/home`, HAI_OWNER_HOME: `${disk}/owner` };
const config = readHaiConfig((name) => env[name], disk);
const newShell = () =>
  new HaiShell(config, { version: "0", caller: "test", unixMs: () => Date.now() });
let shell = newShell();

// deno-lint-ignore no-explicit-any
const call = (name: string, args: Record<string, unknown> = {}): Promise<any> =>
  shell.call(name, args);

/** Takes the disk up to so many free pages. */
function fill(pages: number): void {
  const files: string[] = [];
  try {
    for (;;) {
      const path = `${disk}/fill-${files.length}`;
      files.push(path);
      Deno.writeFileSync(path, new Uint8Array(PAGE));
    }
  } catch {
    // Full.
  }
  for (const path of files.slice(-1 - pages)) Deno.removeSync(path);
}

function empty(): void {
  for (const { name } of [...Deno.readDirSync(disk)]) {
    if (name.startsWith("fill-")) Deno.removeSync(`${disk}/${name}`);
  }
}

function remount(mode: "ro" | "rw"): void {
  new Deno.Command("mount", { args: ["-o", `remount,${mode}`, disk] }).outputSync();
}

const { mission_id } = await call("hai_open_mission", {
  objective: "o",
  artifact: "a",
  owner: "ana",
  done_criteria: [{ id: "dc-1", description: "d" }],
  constraints: { project_path: elsewhere },
});
const { session_id } = await call("hai_authorize_session", {
  mission_id,
  contract_version: 1,
  agent_identity: "a",
  role: "r",
  contribution: "c",
  expected_result: "e",
  duration_minutes: 90,
  criterion_ids: ["dc-1"],
});
const before = (await call("hai_health")).audit.events;

let acknowledged = 0;
const refused: unknown[] = [];
for (let pages = 0; pages < MOST; pages++) {
  fill(pages);
  const reply = await call("hai_check_activity", {
    session_id,
    activity_step: "s",
    criterion_id: "dc-1",
    affected_paths: ["x"],
  });
  if (reply.ok === true) acknowledged++;
  else refused.push(reply.error);
  empty();
}
fill(0);
const full = {
  health: await call("hai_health"),
  release: await call("hai_release_session", { session_id, reason: "done" }),
};
empty();
const after = await call("hai_health");

remount("ro");
shell = newShell(); // One that starts on the read-only mount.
const readOnly = {
  health: await call("hai_health"),
  mission: await call("hai_get_mission"),
  release: await call("hai_release_session", { session_id, reason: "done" }),
};
remount("rw");
const release = await call("hai_release_session", { session_id, reason: "done" });
const { findings } = diagnose(config);
console.log(
  JSON.stringify({ before, acknowledged, refused, full, after, readOnly, release, findings }),
);
