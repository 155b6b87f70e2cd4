/**
 * `hoist serve`: answers a host from recorded sessions, as the server that was recorded.
 *
 * @module
 */

import { LineSplitter } from "../../bytes/line_splitter.ts";
import { commandOf, type Run, UsageError } from "../../cli/command.ts";
import type { OpenTape } from "../../disk/tape/tape_files.ts";
import { type FlagTable, type FlagValues, flagWords } from "../../flags/flags.ts";
import type { FileStore, LogStore } from "../../ports/files.ts";
import type { RecordedServer } from "../../raw_client/recorded_server.ts";
import type { ByteSink, ByteSource } from "../../relay/pump.ts";
import { TapePlayer } from "../../tape/tape_player.ts";
import { concat } from "../../bytes/concat.ts";
import type { MaskRequest } from "../../tape/tape.ts";
import { noSessions } from "./no_sessions.ts";
import { SETTINGS_FLAG, testSettings } from "./test_settings_flag.ts";

/** The table of `hoist serve`. */
export const SERVE_COMMAND_FLAGS: FlagTable = {
  program: "hoist serve",
  summary: "Serves recorded sessions as an MCP server: a request gets what it got then.",
  examples: ["hoist serve ~/.hoist/logs/orders"],
  usage: ["[OPTIONS] FILE|DIR [-- SERVER [ARG...]]"],
  positionals: ["FILE|DIR"],
  command: true,
  flags: [
    {
      name: "listen",
      value: "ADDR",
      help: "Serve over HTTP, both eras, as hoist-mcp --listen does; http://ADDR/mcp is the URL.",
    },
    {
      name: "on-miss",
      value: "error|next|server",
      help: "What a request gets that was not recorded: an error that names the nearest one, the " +
        "next answer of its method and tool, or the answer of SERVER. Default: error.",
    },
    {
      name: "record",
      value: "DIR",
      help: "Where --on-miss server records what SERVER is asked and answers, as a new log.",
    },
    {
      name: "timing",
      help: "Let answers take as long as they took. Without it they come at once.",
    },
    SETTINGS_FLAG,
    { name: "again", help: "Serve a write more often than it was recorded." },
  ],
  notes: [
    "Requests are matched by method and params, without ids and _meta, and in their order when one is\n" +
    "repeated. See docs/testing_with_recordings.md.",
    "Exit status: 0 the host closed; 1 it asked something that was not recorded, or a log cannot be\n" +
    "read; 2 wrong usage.",
  ],
};

/** What the command works with. */
interface ServePorts {
  readonly store: Pick<LogStore, "isFolder" | "list">;
  readonly files: Pick<FileStore, "readText">;
  readonly openTape: (paths: readonly string[], mask: MaskRequest) => OpenTape;
  readonly input: () => ByteSource;
  readonly output: () => ByteSink;
  /** Makes a server whose session is recorded in a folder. */
  readonly startServer: (record: string, command: readonly string[]) => RecordedServer;
  /** Serves over HTTP what a command of `hoist` serves on stdio. */
  readonly listen: (address: string, args: readonly string[]) => Promise<number>;
}

/** Runs `hoist serve`. */
export const serveCommand = commandOf(SERVE_COMMAND_FLAGS, serve);

const NEWLINE = new Uint8Array([10]);

async function serve(run: Run<ServePorts>): Promise<number> {
  const { values, runtime, store, openTape, input, output, listen } = run;
  const [path] = values.positionals;
  if (path === undefined) {
    throw new UsageError("Missing argument: a session log or a folder of them");
  }
  const onMiss = values.get("on-miss") ?? "error";
  if (onMiss !== "error" && onMiss !== "next" && onMiss !== "server") {
    throw new UsageError(`--on-miss takes error, next or server, not "${onMiss}"`);
  }
  const server = liveServer(run, onMiss);
  const address = values.get("listen");
  if (address !== undefined) return await listen(address, stdioWords(values, path));
  if (server === undefined) runtime.keepOnly?.(["read", "env"]);
  const isFolder = await store.isFolder(path);
  const paths = isFolder ? (await store.list(path)).map((log) => log.path) : [path];
  if (paths.length === 0) throw noSessions(path);
  const settings = await testSettings({ path, isFolder }, run);
  using opened = openTape(paths, settings.maskRequest);
  const { tape, read } = opened;
  const sink = output();
  let written = Promise.resolve();
  const player = new TapePlayer(tape, {
    onMiss,
    isTimed: values.has("timing"),
    isAgain: values.has("again"),
  }, {
    read,
    send: (line) =>
      written = written.then(() => sink.write(concat([line, NEWLINE]))).catch(() => {}),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    ...(server === undefined ? {} : { live: (request, hello) => server.ask(request, hello) }),
  });
  runtime.say(`serving ${tape.exchanges.length} recorded messages of ${paths.length} sessions`);
  await eachLine(input(), (line) => player.take(line));
  await player.end();
  await server?.close();
  await written;
  const live = server === undefined ? "" : `, the server ${player.live}`;
  runtime.say(`answered ${player.served} requests${live}, ${player.missed} were not recorded`);
  return player.missed === 0 ? 0 : 1;
}

/** The server of `--on-miss server`; undefined without it. */
function liveServer(
  { values, startServer }: Run<ServePorts>,
  onMiss: string,
): RecordedServer | undefined {
  const [record, command] = [values.get("record"), values.command];
  const isAsked = onMiss === "server";
  if (isAsked && (record === undefined || command === undefined || command.length === 0)) {
    throw new UsageError("--on-miss server needs --record DIR, and the server's command after --");
  }
  if (!isAsked && (record !== undefined || command !== undefined)) {
    throw new UsageError("--record and a server after -- need --on-miss server");
  }
  return isAsked ? startServer(record ?? "", command ?? []) : undefined;
}

/** The same command on stdio. */
function stdioWords(values: FlagValues, path: string): string[] {
  const words = ["serve"];
  for (const name of ["on-miss", "settings", "record"]) {
    const value = values.get(name);
    if (value !== undefined) words.push(...flagWords(name, value));
  }
  for (const name of ["timing", "again"]) if (values.has(name)) words.push(`--${name}`);
  return [...words, path, ...(values.command === undefined ? [] : ["--", ...values.command])];
}

async function eachLine(source: ByteSource, take: (line: Uint8Array) => void): Promise<void> {
  const splitter = new LineSplitter();
  const notBlank = (line: Uint8Array) => {
    if (line.some((byte) => byte > 32)) take(line.slice());
  };
  for (let chunk = await source.read(); chunk !== null; chunk = await source.read()) {
    splitter.push(chunk, notBlank);
  }
  const rest = splitter.end();
  if (rest !== undefined) notBlank(rest);
}
