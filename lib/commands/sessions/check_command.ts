/**
 * `hoist check`: plays recorded sessions to a server, and compares what it answers.
 *
 * @module
 */

import { commandOf, type Run, UsageError } from "../../cli/command.ts";
import { writeReport } from "../../cli/write_report.ts";
import {
  CHECK_KINDS,
  type CheckedSession,
  checkHtml,
  checkJunit,
  checkReport,
  checkSarif,
  countsOf,
} from "../../check/check_report.ts";
import type { CheckKind } from "../../check/compare_answers.ts";
import { type CheckOptions, playSession } from "../../check/play_session.ts";
import { recordedSession } from "../../check/recorded_session.ts";
import type { FlagTable, FlagValues } from "../../flags/flags.ts";
import { VERSION } from "../../flags/version.ts";
import type { FileStore, LogStore } from "../../ports/files.ts";
import type { StartLiveServer } from "../../check/live_server.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { globPattern } from "../../text/glob.ts";
import { printable } from "../../text/printable.ts";
import { reasonOf } from "../../text/reason.ts";
import { noSessions } from "./no_sessions.ts";
import { SETTINGS_FLAG, testSettings } from "./test_settings_flag.ts";

/** Kinds that fail unless `--fail-on` says otherwise. */
const FAILING: readonly CheckKind[] = ["changed", "error", "missing", "unanswered"];

/** The table of `hoist check`. */
export const CHECK_FLAGS: FlagTable = {
  program: "hoist check",
  summary: "Plays recorded sessions to a server, and compares its answers with the recorded ones.",
  examples: ["hoist check ~/.hoist/logs/orders -- npx -y some-mcp-server"],
  usage: ["[OPTIONS] FILE|DIR -- SERVER [ARG...]"],
  positionals: ["FILE|DIR"],
  command: true,
  flags: [
    { name: "writes", help: "Call tools that may write, too. Use a server that may be changed." },
    {
      name: "reads",
      value: "GLOB",
      repeat: true,
      help: "Tools that only read, where the server does not say so with readOnlyHint.",
    },
    SETTINGS_FLAG,
    {
      name: "fail-on",
      value: "KINDS",
      help: `What fails, separated by commas: masked, skipped, ${FAILING.join(", ")}. ` +
        `Default: ${FAILING.join(",")}.`,
    },
    { name: "junit", value: "FILE", help: "Write JUnit XML, a case for each request." },
    { name: "sarif", value: "FILE", help: "Write SARIF, each fault at its line of the log." },
    { name: "html", value: "FILE", help: "Write a page." },
    { name: "out", value: "FILE", help: "Write the report here instead of printing it." },
  ],
  notes: [
    "Each session gets a server of its own, the host's own initialize, and its requests in their order.\n" +
    "Only tools that read are called, unless --writes is given. See docs/testing_with_recordings.md.",
    "Exit status: 0 nothing failed; 1 something did, or a log cannot be read or played; 2 wrong usage.",
  ],
};

/** What the command works with. */
interface CheckPorts {
  readonly store: Pick<LogStore, "isFolder" | "list" | "read">;
  readonly files: Pick<FileStore, "readText" | "replace">;
  readonly start: StartLiveServer;
}

/** Runs `hoist check`. */
export const checkCommand = commandOf(CHECK_FLAGS, check);

async function check(run: Run<CheckPorts>): Promise<number> {
  const { values, runtime, store, start } = run;
  const [path] = values.positionals;
  if (path === undefined) {
    throw new UsageError("Missing argument: a session log or a folder of them");
  }
  const { command } = values;
  if (command === undefined || command.length === 0) {
    throw new UsageError("Missing the server's command, after --");
  }
  const failing = failingKinds(values);
  const isFolder = await store.isFolder(path).catch((error) => {
    throw new Error(`Cannot read "${printable(path)}": ${reasonOf(error)}`, { cause: error });
  });
  const options: CheckOptions = {
    command,
    settings: await testSettings({ path, isFolder }, run),
    writes: values.has("writes"),
    reads: values.all("reads").map(globPattern),
  };
  const paths = isFolder ? (await store.list(path)).map((log) => log.path) : [path];
  if (paths.length === 0) throw noSessions(printable(path));
  const sessions: CheckedSession[] = [];
  for (const file of paths) {
    sessions.push(await checkOne(file, store, start, options));
    if (paths.length > 1) runtime.say(`${sessions.length} of ${paths.length} sessions played`);
  }
  await writeAll(sessions, failing, run);
  const counts = countsOf(sessions);
  const isGood = sessions.every(({ fault }) => fault === undefined) &&
    CHECK_KINDS.every((kind) => !failing.has(kind) || counts[kind] === 0);
  return isGood ? 0 : 1;
}

async function checkOne(
  file: string,
  store: Pick<LogStore, "read">,
  start: StartLiveServer,
  options: CheckOptions,
): Promise<CheckedSession> {
  try {
    const session = recordedSession(await store.read(file));
    return { file, rows: await playSession(session, start, options), fault: undefined };
  } catch (error) {
    return { file, rows: [], fault: reasonOf(error) };
  }
}

function failingKinds(values: FlagValues): Set<CheckKind> {
  const given = values.get("fail-on");
  if (given === undefined) return new Set(FAILING);
  const kinds = given.split(",").map((word) => word.trim()).filter((word) => word !== "");
  return new Set(kinds.map((word) => {
    const kind = CHECK_KINDS.find((known) => known === word && known !== "equal");
    if (kind === undefined) throw new UsageError(`--fail-on does not know "${word}"`);
    return kind;
  }));
}

async function writeAll(
  sessions: readonly CheckedSession[],
  failing: ReadonlySet<CheckKind>,
  { values, runtime, files }:
    & { readonly values: FlagValues; readonly runtime: Runtime }
    & CheckPorts,
): Promise<void> {
  const [junit, sarif] = [values.get("junit"), values.get("sarif")];
  if (junit !== undefined) await files.replace(junit, checkJunit(sessions, failing));
  if (sarif !== undefined) {
    await files.replace(
      sarif,
      JSON.stringify(checkSarif(sessions, failing, VERSION), null, 2) + "\n",
    );
  }
  await writeReport(
    { text: checkReport(sessions, failing), html: () => checkHtml(sessions, failing) },
    { values, runtime, files },
  );
}
