/**
 * `hoist lock`: writes down what a server says about itself, and shows what has changed since.
 *
 * @module
 */

import { commandOf, type Run, UsageError } from "../../cli/command.ts";
import type { FlagTable } from "../../flags/flags.ts";
import type { FileStore } from "../../ports/files.ts";
import type { ReadLists } from "../../ports/read_lists.ts";
import { printable } from "../../text/printable.ts";
import { LIST_KINDS } from "../../tool_lock/locked_lists.ts";
import { lockChanges, lockMarks } from "../../tool_lock/lock_changes.ts";
import { lockReport, lockSummary } from "../../tool_lock/lock_report.ts";
import {
  LOCK_FILE,
  lockOf,
  printLock,
  readLock,
  type ToolsLock,
} from "../../tool_lock/tools_lock.ts";

/** The parts that `--without` leaves out. */
const PARTS = ["instructions", ...LIST_KINDS.map(({ key }) => key)];

/** The table of `hoist lock`. */
export const LOCK_COMMAND_FLAGS: FlagTable = {
  program: "hoist lock",
  summary: "Writes down what a server lists, and shows what has changed since.",
  examples: [
    "hoist lock -- npx -y some-mcp-server",
    "hoist lock --review -- npx -y some-mcp-server",
  ],
  usage: ["[OPTIONS] -- SERVER_COMMAND..."],
  flags: [
    { name: "file", value: "FILE", help: `The lock. Default: ${LOCK_FILE}.` },
    {
      name: "review",
      help:
        "Show what has changed since the lock was written, and take it: on a terminal after a " +
        "question, elsewhere with --yes.",
    },
    { name: "yes", help: "Take the changes without a question. Needs --review." },
    {
      name: "without",
      value: "PART",
      repeat: true,
      help: `Leave a part out of a new lock: ${PARTS.join(", ")}.`,
    },
  ],
  command: true,
  notes: [
    "The server is started, its lists are read, and no tool is called. A server over HTTP is locked\n" +
    "through the proxy: hoist lock -- hoist-mcp --upstream URL.",
    "Exit status: 0 the lock was written, or the server is as it was locked; 1 it has changed and the\n" +
    "change was not taken, or something could not be read or written; 2 wrong usage.",
  ],
};

/** What the command works with. */
export interface LockPorts {
  readonly files: Pick<FileStore, "readText" | "replace">;
  readonly readLists: ReadLists;
  /** Asks the person at the terminal; undefined where there is none. */
  readonly ask: ((question: string) => Promise<string | undefined>) | undefined;
}

/** Runs `hoist lock`. */
export const lockCommand = commandOf(LOCK_COMMAND_FLAGS, lock);

async function lock(run: Run<LockPorts>): Promise<number> {
  const { values, runtime, files, readLists } = run;
  const { command = [] } = values;
  if ((command[0] ?? "") === "") throw new UsageError("The server's command is missing after --");
  if (values.has("yes") && !values.has("review")) throw new UsageError("--yes needs --review");
  const without = new Set(values.all("without"));
  const unknown = [...without].find((part) => !PARTS.includes(part));
  if (unknown !== undefined) {
    throw new UsageError(`--without takes ${PARTS.join(", ")}, not "${unknown}"`);
  }
  const path = values.get("file") ?? LOCK_FILE;
  const old = await lockThere(path, files);
  if (old === undefined && values.has("review")) {
    throw new Error(`There is no lock "${path}" to review; run hoist lock without --review first`);
  }
  const now = lockOf(
    await readLists(command, runtime),
    old === undefined ? without : partsOff(old),
  );
  if (old === undefined) return await writeNew(path, now, run);
  const changes = lockChanges(old, now);
  if (changes.length === 0) {
    runtime.say(`the server is as it was locked in "${path}"`);
    return 0;
  }
  runtime.print(lockReport(changes));
  runtime.say(lockSummary(changes));
  if (!await isTaken(run)) {
    runtime.say(
      values.has("review")
        ? `the lock "${path}" was left as it is`
        : `the lock "${path}" was left as it is; hoist lock --review takes the changes`,
    );
    return 1;
  }
  await files.replace(path, printLock(now));
  runtime.say(`the changes are in "${path}"`);
  return 0;
}

async function writeNew(
  path: string,
  now: ToolsLock,
  { runtime, files }: Run<LockPorts>,
): Promise<number> {
  const marked = lockMarks(now);
  if (marked.length > 0) {
    runtime.print(lockReport(marked));
    runtime.say("look at what is marked before you use this lock");
  }
  await files.replace(path, printLock(now));
  const counts = LIST_KINDS.flatMap(({ key, word }) =>
    now.lists[key] === undefined ? [] : [`${now.lists[key].size} ${word}s`]
  );
  runtime.say(
    `locked ${printable(now.server.name ?? "the server")} in "${path}": ${counts.join(", ")}`,
  );
  return 0;
}

async function isTaken({ values, ask }: Run<LockPorts>): Promise<boolean> {
  if (!values.has("review")) return false;
  if (values.has("yes")) return true;
  const answer = await ask?.("Take these changes? [y/N]");
  return /^y(?:es)?$/i.test(answer?.trim() ?? "");
}

/** The lock that is there; undefined when there is none. */
async function lockThere(path: string, files: LockPorts["files"]): Promise<ToolsLock | undefined> {
  let text: string;
  try {
    text = await files.readText(path);
  } catch (error) {
    if (error instanceof Error && isMissing(error)) return undefined;
    throw error;
  }
  return readLock(text, path);
}

function isMissing(error: Error): boolean {
  return error.name === "NotFound" || (error.cause instanceof Error && isMissing(error.cause));
}

function partsOff({ instructions, lists }: ToolsLock): Set<string> {
  return new Set([
    ...instructions === undefined ? ["instructions"] : [],
    ...LIST_KINDS.map(({ key }) => key).filter((key) => lists[key] === undefined),
  ]);
}
