/**
 * `hai-mcp doctor` and `hai-mcp repair`: what is wrong with the state, and
 * mending it after a backup.
 *
 * The doctor takes no lock and creates nothing. Repair copies every file of the
 * state to `backups/` first, and removes only what it has copied.
 *
 * @module
 */

import { Trail } from "../../hai/trail/trail.ts";
import { weakness } from "../../hai/trail/pin.ts";
import { EMPTY_CHAIN } from "../../hai/trail/audit_mark.ts";
import { CallContext } from "../../hai/call/call_context.ts";
import type { HaiConfig } from "../../hai/state/config.ts";
import { examine, type Finding } from "../../hai/doctor/doctor.ts";
import { nameStamp } from "../../hai/state/ids.ts";
import { plainText } from "../../text/plain_text.ts";
import { mend } from "../../hai/doctor/repair.ts";
import { Transaction } from "../../hai/state/transaction.ts";
import { realPathOf } from "../../disk/confined_path.ts";
import {
  carryOut,
  finishJournal,
  JOURNAL,
  type JournalRoots,
  makeFolder,
} from "../../hai/shell/journal.ts";
import { LockFile } from "../../disk/lock_file.ts";
import { stateDisk } from "../../hai/shell/state_disk.ts";
import { VERSION } from "../../flags/version.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { keyFileProblem, type OwnerHome, ownerHomeAt } from "../../hai/shell/owner_home.ts";
import type { Terminal } from "../../runtime/terminal.ts";

/** Folder of the backups; no part of the state. */
const BACKUPS = "backups";

/**
 * Examines the state on disk, its files and their rights.
 *
 * @param config Settings.
 * @param options Whether the whole audit chain is verified, and who hears how far it is.
 * @returns The faults, and the state root.
 */
export function diagnose(
  config: HaiConfig,
  options: { readonly isFull?: boolean; readonly onProgress?: (left: number) => void } = {},
): { readonly home: string; readonly findings: Finding[] } {
  const home = realPathOf(config.home) ?? config.home;
  const tx = new Transaction(stateDisk(), home);
  const owner = ownerHomeAt(config.ownerHome, home, config.home);
  const { isFull = false, onProgress = () => {} } = options;
  const side = {
    key: owner.existingKey(),
    pin: owner.pin(),
    checkpoint: owner.checkpoint(),
    isFull,
    onProgress,
  };
  const weak = side.pin === undefined ? undefined : weakness(config, side.pin);
  const findings = [
    ...fileFindings(home),
    ...ownerFindings(config, owner, home),
    ...weak === undefined
      ? []
      : [{ severity: "warning", kind: "note", file: owner.root, problem: weak } as const],
    ...examine(tx, side),
  ];
  return { home, findings };
}

/**
 * Runs `hai-mcp doctor`.
 *
 * @param config Settings.
 * @param runtime Where to print.
 * @param options Whether to print JSON.
 * @returns The exit status.
 */
export function runDoctor(
  config: HaiConfig,
  runtime: Runtime,
  { isJson, isFull = false }: { readonly isJson: boolean; readonly isFull?: boolean },
): number {
  const { home, findings } = diagnose(config, {
    isFull,
    onProgress: (left) => runtime.say(`${left} audit events left`),
  });
  if (isJson) runtime.print(JSON.stringify({ ok: findings.length === 0, home, findings }, null, 2));
  else {
    for (const { severity, file, problem } of findings) {
      runtime.print(plainText(`${severity}: ${file}: ${problem}`));
    }
    const isThere = stateDisk().kind(home) !== undefined;
    const none = isThere ? "nothing is wrong." : "there is no state yet.";
    runtime.print(findings.length === 0 ? `${home}: ${none}` : `${findings.length} findings.`);
  }
  return findings.length === 0 ? 0 : 1;
}

/**
 * Runs `hai-mcp repair`.
 *
 * @param config Settings.
 * @param io Where to print and ask.
 * @param options Whether to go on without asking.
 * @returns The exit status.
 */
export async function runRepair(
  config: HaiConfig,
  io: { readonly runtime: Runtime; readonly terminal: Terminal },
  { isSure }: { readonly isSure: boolean },
): Promise<number> {
  const { runtime, terminal } = io;
  const before = diagnose(config, { isFull: true });
  if (before.findings.length === 0) {
    runtime.print(`${before.home}: nothing is wrong.`);
    return 0;
  }
  for (const { file, problem } of before.findings) runtime.print(plainText(`${file}: ${problem}`));
  const answer = isSure
    ? "repair"
    : terminal.isPresent
    ? terminal.ask("\nType repair to mend this, after a backup:")
    : undefined;
  if (answer?.trim() !== "repair") {
    runtime.say("Nothing was changed; without a terminal --yes is needed");
    return 1;
  }
  for (const line of await mendOnDisk(config, runtime)) runtime.print(plainText(line));
  const after = diagnose(config, { isFull: true }).findings.filter((finding) =>
    finding.severity === "error"
  );
  for (const { file, problem } of after) {
    runtime.print(plainText(`still wrong: ${file}: ${problem}`));
  }
  return after.length === 0 ? 0 : 1;
}

async function mendOnDisk(config: HaiConfig, runtime: Runtime): Promise<string[]> {
  const home = realPathOf(config.home) ?? config.home;
  const lock = new LockFile(`${home}/.mission.lock`);
  return await lock.hold(() => {
    const owner = ownerHomeAt(config.ownerHome, home, config.home);
    const roots = { home, owner: owner.root, key: () => owner.existingKey() };
    const backup = makeBackup(home, runtime.unixMs());
    const done = [`backup: ${backup}`, ...mendFiles(home, roots)];
    const disk = stateDisk();
    const tx = new Transaction(disk, home);
    const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
    const ctx = new CallContext({
      config,
      disk,
      unixMs: runtime.unixMs(),
      random,
      pid: runtime.pid,
      caller: undefined,
      vault: owner,
      version: VERSION,
      chain: { mark: EMPTY_CHAIN, trail: new Trail() },
      pin: owner.pin(),
    }, tx);
    const mended = mend(ctx, backup);
    carryOut(tx.changes, roots);
    if (mended.isRestarted) pinAnew(owner);
    return [...done, ...mended.done];
  });
}

/** A new chain is sealed from its first event on. */
function pinAnew(owner: OwnerHome): void {
  const key = owner.existingKey();
  const pin = owner.pin();
  if (key === undefined || pin === undefined) return;
  owner.savePin(key, { ...pin, from: EMPTY_CHAIN });
  owner.saveCheckpoint(key, { mark: EMPTY_CHAIN, trail: new Trail().snapshot() });
}

/** A journal that was left, files that a crash left behind, and wrong rights. */
function mendFiles(
  home: string,
  roots: JournalRoots,
): string[] {
  const done: string[] = [];
  try {
    if (finishJournal(roots)) done.push("finished what a crash had left");
  } catch (error) {
    Deno.removeSync(`${home}/${JOURNAL}`);
    done.push(
      `took out a broken journal: ${error instanceof Error ? error.message : "unreadable"}`,
    );
  }
  for (const { path, isDirectory, isLeft } of stateFiles(home)) {
    if (isLeft) Deno.removeSync(path);
    else if (Deno.build.os !== "windows") Deno.chmodSync(path, isDirectory ? 0o700 : 0o600);
  }
  return done;
}

function fileFindings(home: string): Finding[] {
  const findings: Finding[] = [];
  for (const { path, isDirectory, isLeft, mode } of stateFiles(home)) {
    const problem = isLeft
      ? "a crash left it behind"
      : path === `${home}/${JOURNAL}`
      ? "a crash left changes half done; the next call finishes them"
      : mode !== null && (mode & 0o077) !== 0
      ? `others may use it (mode ${(mode & 0o777).toString(8)}, expected ${
        isDirectory ? 700 : 600
      })`
      : undefined;
    if (problem !== undefined) {
      findings.push({ severity: "warning", kind: "note", file: path, problem });
    }
  }
  return findings;
}

/** Faults of the owner's folder: unusable, or readable by others. */
function ownerFindings(config: HaiConfig, owner: OwnerHome, home: string): Finding[] {
  const finding = (severity: Finding["severity"], file: string, problem: string): Finding[] => [
    { severity, kind: "note", file, problem },
  ];
  if (owner.root === "") {
    const held = owner.key(); // Of a folder that may not be used: it only says why.
    return "problem" in held ? finding("error", config.ownerHome, held.problem) : [];
  }
  const key = `${owner.root}/owner.key`;
  try {
    const { mode } = Deno.statSync(owner.root);
    const problem = keyFileProblem(key);
    if (problem !== undefined) return finding("error", key, problem);
    return mode === null || (mode & 0o077) === 0 ? [] : finding(
      "warning",
      owner.root,
      `others may use it (mode ${(mode & 0o777).toString(8)}); the next call to the owner's ` +
        "gate makes it 700",
    );
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      // Made when it is first needed, unless this state already had one.
      return stateDisk().kind(`${home}/owner/pin.json`) === undefined ? [] : finding(
        "error",
        owner.root,
        "the owner's folder is missing, and the state is sealed with its key; put it back, or set " +
          "HAI_OWNER_HOME to where it is",
      );
    }
    const kind = error instanceof Error ? error.name : "Error";
    return finding("error", key, `the owner's key cannot be used (${kind})`);
  }
}

interface StateFile {
  readonly path: string;
  readonly isDirectory: boolean;
  readonly isLeft: boolean;
  readonly mode: number | null;
}

/** Files and folders of the state; links are not followed, backups left out. */
function* stateFiles(dir: string): Generator<StateFile> {
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(dir)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  for (const { name, isDirectory, isSymlink } of entries) {
    const path = `${dir}/${name}`;
    if (isSymlink || name === BACKUPS) continue;
    const { mode } = Deno.lstatSync(path);
    yield { path, isDirectory, mode, isLeft: /^\..+\.tmp$/.test(name) };
    if (isDirectory) yield* stateFiles(path);
  }
}

function makeBackup(home: string, unixMs: number): string {
  const base = `${home}/${BACKUPS}/${nameStamp(unixMs)}`;
  let backup = base;
  for (let n = 2; realPathExists(backup); n++) backup = `${base}-${n}`;
  for (const { path, isDirectory, isLeft } of [...stateFiles(home)]) {
    const copy = `${backup}${path.slice(home.length)}`;
    if (isDirectory) makeFolder(copy);
    else if (!isLeft && !path.endsWith(".lock")) {
      makeFolder(copy.slice(0, copy.lastIndexOf("/")));
      Deno.copyFileSync(path, copy);
    }
  }
  return backup;
}

function realPathExists(path: string): boolean {
  return stateDisk().kind(path) !== undefined;
}
