/**
 * `hoist log-check`: checks that session logs can be read and are consistent.
 *
 * @module
 */

import type { Runtime } from "../../ports/runtime.ts";
import { plainLogName } from "../../log/log_names.ts";
import type { PartialLog } from "../../log/log.ts";
import { LogSyntaxError } from "../../log/log_syntax_error.ts";
import { printable } from "../../text/printable.ts";
import { checkLog } from "../../trace/check_log.ts";
import { commandOf, type Run, UsageError } from "../../cli/command.ts";
import { expandHome } from "../../flags/expand_home.ts";
import type { FlagTable } from "../../flags/flags.ts";
import { reasonOf } from "../../text/reason.ts";
import type { LogStore } from "../../ports/files.ts";
import { noSessions } from "./no_sessions.ts";

/** Where the sessions are. */
interface LogPorts {
  readonly store: LogStore;
}

/** The table of `hoist log-check`. */
export const LOG_CHECK_FLAGS: FlagTable = {
  program: "hoist log-check",
  summary: "Checks that session logs can be read and are consistent.",
  examples: ["hoist log-check ~/.hoist/logs/orders"],
  usage: ["DIR", "FILE"],
  flags: [],
  positionals: ["DIR|FILE"],
  notes: [
    "Checks of each log: every line is valid, times never decrease, every response has one request,\n" +
    "and no id is reused while a request waits. A cut last line, requests without a response and a\n" +
    "file name other than the session's are reported, and are no fault.",
    "Exit status: 0 every log is consistent; 1 one is not, or cannot be read; 2 wrong usage.",
  ],
};

/** Runs `hoist log-check`. */
export const logCheckCommand = commandOf(LOG_CHECK_FLAGS, logCheck);

async function logCheck({ values, runtime, store }: Run<LogPorts>): Promise<number> {
  const [given] = values.positionals;
  if (given === undefined) throw new UsageError("Missing argument: a folder or a file");
  const path = expandHome(given, runtime.env("HOME") ?? runtime.env("USERPROFILE"));
  if (path === null) throw new UsageError(`"${given}" begins with ~, but HOME is not set`);
  const isFolder = await store.isFolder(path).catch((error) => {
    const why = reasonOf(error);
    throw new Error(`Cannot read "${path}": ${why}`, { cause: error });
  });
  const paths = isFolder ? (await store.list(path)).map((log) => log.path) : [path];
  if (paths.length === 0) throw noSessions(path);
  let bad = 0;
  for (const log of paths) if (!await checkOne(log, runtime, store)) bad++;
  runtime.print(`${paths.length} logs, ${paths.length - bad} hold`);
  return bad === 0 ? 0 : 1;
}

/** Checks a log and prints the findings; returns whether it is consistent. */
async function checkOne(path: string, runtime: Runtime, store: LogStore): Promise<boolean> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const { log, faults } = await read(path, store);
  const found = log && checkLog(log);
  const session = log?.header?.session;
  const other = session === undefined || plainLogName(name) === `${session}.jsonl`
    ? ""
    : `, of ${session}`;
  const all = [...faults, ...found?.faults ?? []];
  const waits = found?.unanswered ? `, ${found.unanswered} without an answer` : "";
  const cut = log?.problems.some(({ kind }) => kind === "cut") ? ", last line cut" : "";
  const held = found === undefined
    ? ""
    : `${log?.lines.length} lines, ${found.requests} requests${other}${waits}${cut}: `;
  runtime.print(printable(`${name}: ${held}${all.length === 0 ? "holds" : "does not hold"}`));
  for (const fault of all) runtime.print(printable(`  ${fault}`));
  return all.length === 0;
}

/** The readable part of a log, and its faults. */
async function read(
  path: string,
  store: LogStore,
): Promise<{ readonly log: PartialLog | undefined; readonly faults: readonly string[] }> {
  try {
    return { log: await store.read(path), faults: [] };
  } catch (error) {
    const message = reasonOf(error);
    if (!(error instanceof LogSyntaxError)) return { log: undefined, faults: [message] };
    const broken = error.log.problems.filter(({ kind }) => kind === "broken");
    const faults = broken.length === 0
      ? [message]
      : broken.map(({ line, message }) => `line ${line} ${message}`);
    return { log: error.log.header === undefined ? undefined : error.log, faults };
  }
}
