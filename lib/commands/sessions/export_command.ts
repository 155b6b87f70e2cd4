/**
 * `hoist export`: writes session logs as tables for the engines that people already run.
 *
 * @module
 */

import { commandOf, needed, type Run, UsageError } from "../../cli/command.ts";
import { SessionRows, type TakeRow } from "../../export/session_rows.ts";
import { expandHome } from "../../flags/expand_home.ts";
import type { FlagTable } from "../../flags/flags.ts";
import type { LogLine } from "../../log/log.ts";
import { LogSyntaxError } from "../../log/log_syntax_error.ts";
import type { LogStore } from "../../ports/files.ts";
import { printable } from "../../text/printable.ts";
import { reasonOf } from "../../text/reason.ts";
import { OverviewReader } from "../../timeline/overview.ts";
import { SpanExport, type SpanPorts } from "./export_spans.ts";
import { noSessions } from "./no_sessions.ts";
import type { MakeHash } from "./redact_command.ts";
import { SAME_TURN_FLAG, sameTurnMs } from "./same_turn_flag.ts";

/** The table of `hoist export`. */
export const EXPORT_FLAGS: FlagTable = {
  program: "hoist export",
  summary: "Writes recorded sessions as tables of Parquet files, or sends them as spans.",
  examples: [
    "hoist export --parquet tables ~/.hoist/logs/orders",
    "hoist export --otlp http://127.0.0.1:4318 --follow --place ~/.hoist/otlp.json ~/.hoist/logs",
  ],
  usage: ["--parquet OUT [OPTIONS] DIR...", "--otlp URL [OPTIONS] DIR..."],
  flags: [
    {
      name: "parquet",
      value: "OUT",
      help: "The new folder: sessions, calls, turns, lookups and refusals by day and domain.",
    },
    {
      name: "otlp",
      value: "URL",
      help:
        "An OpenTelemetry collector: spans go to its /v1/traces, or to the URL if it has a path.",
    },
    {
      name: "otlp-header",
      value: "NAME=VAR",
      repeat: true,
      help: "Send header NAME with the value of environment variable VAR to the collector.",
    },
    { name: "follow", help: "With --otlp: go on with logs that grow and come, until it is ended." },
    {
      name: "place",
      value: "FILE",
      help: "With --otlp: keep here how far each log was sent, and go on from there.",
    },
    {
      name: "values",
      help: "Write arguments and results too; without it their hashes and sizes, in spans neither.",
    },
    {
      name: "salt-env",
      value: "VAR",
      help: "Variable with the secret of the hashes, so that exports can be joined. " +
        "Default: HOIST_EXPORT_SALT; unset, a secret of this run alone.",
    },
    SAME_TURN_FLAG,
  ],
  positionals: ["DIR..."],
  notes: [
    "docs/fleet.md lists the columns, ten questions as queries, and the attributes of spans.",
    "Exit status: 0 done; 1 a log could not be read whole (the rest is written), the folder could\n" +
    "not be written, or the collector did not take everything; 2 wrong usage.",
  ],
};

/** Tables that are being written. */
export interface TableFolder {
  /** Takes a row. */
  readonly add: TakeRow;
  /** Writes what is left; returns the number of files. */
  finish(): number;
}

/** What the command works with. */
export interface ExportPorts {
  readonly store: LogStore;
  readonly keyedHash: MakeHash;
  /** Makes a folder of Parquet files. */
  readonly parquet: (dir: string) => TableFolder;
  /** A secret that nobody knows. */
  readonly newSecret: () => string;
  readonly openLog: SpanPorts["openLog"];
  /** Makes what sends spans. */
  readonly otlp: (url: string, headers: readonly [string, string][]) => Promise<SpanPorts["send"]>;
  /** A file that is replaced whole. */
  readonly placeFile: (path: string) => SpanPorts["place"];
  /** Settles with false when the user ends the program, else with true after a second. */
  readonly nextSecond: () => Promise<boolean>;
}

/** Runs `hoist export`. */
export const exportCommand = commandOf(EXPORT_FLAGS, exportLogs);

async function exportLogs(run: Run<ExportPorts>): Promise<number> {
  const { values, runtime, store } = run;
  const home = runtime.env("HOME") ?? runtime.env("USERPROFILE");
  const at = (path: string) => {
    const expanded = expandHome(path, home);
    if (expanded === null) throw new UsageError(`"${path}" begins with ~, but HOME is not set`);
    return expanded;
  };
  if (values.positionals.length === 0) throw new UsageError("Missing argument: a folder of logs");
  if (values.has("otlp")) return await exportSpans(run, at);
  const stray = ["otlp-header", "follow", "place"].find((name) => values.has(name));
  if (stray !== undefined) throw new UsageError(`--${stray} needs --otlp`);
  const out = at(needed(values, "parquet"));
  const paths: string[] = [];
  for (const given of values.positionals) paths.push(...await logsOf(at(given), store));
  const salt = runtime.env(values.get("salt-env") ?? "HOIST_EXPORT_SALT") ?? run.newSecret();
  const options = {
    hash: run.keyedHash(salt),
    withValues: values.has("values"),
    sameTurnMs: sameTurnMs(values),
  };
  const tables = run.parquet(out);
  let faults = 0;
  for (const [index, file] of paths.entries()) {
    try {
      await oneLog(file, tables.add, { ...options, file }, store);
    } catch (error) {
      faults++;
      runtime.say(
        error instanceof LogSyntaxError
          ? error.message
          : `Cannot read "${printable(file)}": ${reasonOf(error)}`,
      );
    }
    if ((index + 1) % 1000 === 0) runtime.say(`${index + 1} of ${paths.length} sessions`);
  }
  const files = tables.finish();
  runtime.say(`wrote ${paths.length - faults} whole sessions to ${printable(out)}, ${files} files`);
  return faults === 0 ? 0 : 1;
}

/** Sends spans to a collector. */
async function exportSpans(
  run: Run<ExportPorts>,
  at: (path: string) => string,
): Promise<number> {
  const { values, runtime, store } = run;
  const stray = ["parquet", "salt-env", "same-turn-ms"].find((name) => values.has(name));
  if (stray !== undefined) throw new UsageError(`--${stray} and --otlp exclude each other`);
  const url = needed(values, "otlp");
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UsageError("--otlp takes an http: or https: URL");
  }
  const headers = values.all("otlp-header").map((given): [string, string] => {
    const [, name, variable] = /^([^=\s]+)=(\w+)$/.exec(given) ?? [];
    if (name === undefined || variable === undefined) {
      throw new UsageError("--otlp-header takes NAME=VAR, VAR the name of a variable");
    }
    const value = runtime.env(variable);
    if (value === undefined) {
      throw new UsageError(`--otlp-header ${name}: the variable ${variable} is not set`);
    }
    return [name, value];
  });
  const isFollowing = values.has("follow");
  const place = values.get("place");
  const folders = values.positionals.map(at);
  const isAnyFolder = isFollowing || folders.length > 1;
  const work = new SpanExport({
    openLog: run.openLog,
    send: await run.otlp(url, headers),
    paths: async () => {
      const paths: string[] = [];
      for (const folder of folders) paths.push(...await logsOf(folder, store, isAnyFolder));
      return paths;
    },
    place: place === undefined ? undefined : run.placeFile(at(place)),
    runtime,
    nextRound: () => isFollowing ? run.nextSecond() : Promise.resolve(false),
  }, { withValues: values.has("values"), isFollowing });
  try {
    await work.run();
  } finally {
    const refused = work.refused === 0 ? "" : `; the collector did not take ${work.refused}`;
    runtime.say(`sent ${work.taken} spans${refused}`);
  }
  return work.faults + work.refused === 0 ? 0 : 1;
}

async function logsOf(path: string, store: LogStore, mayBeEmpty = false): Promise<string[]> {
  const isFolder = await store.isFolder(path).catch((error) => {
    throw new Error(`Cannot read "${printable(path)}": ${reasonOf(error)}`, { cause: error });
  });
  if (!isFolder) return [path];
  const logs = await store.list(path);
  if (logs.length === 0 && !mayBeEmpty) throw noSessions(printable(path));
  return logs.map((log) => log.path);
}

/** Reads a log twice: at a glance, then for its rows. A fault is thrown once all rows are written. */
async function oneLog(
  path: string,
  take: TakeRow,
  options: ConstructorParameters<typeof SessionRows>[3],
  store: LogStore,
): Promise<void> {
  const glance = new OverviewReader(options);
  let fault: LogSyntaxError | undefined;
  const scan = async (onLine: (line: LogLine) => void) => {
    try {
      return (await store.scan(path, onLine)).header;
    } catch (error) {
      if (!(error instanceof LogSyntaxError)) throw error;
      fault = error;
      return error.log.header;
    }
  };
  const header = await scan((line) => glance.take(line));
  if (header !== undefined) {
    const overview = glance.end(header);
    const rows = new SessionRows(header, overview, take, options);
    let lines = 0; // A log may grow in between: what the glance did not see is left out.
    await scan((line) => {
      if (++lines <= overview.summary.lines) rows.take(line);
    });
    rows.end();
  }
  if (fault !== undefined) throw fault;
}
