/**
 * `hoist episodes`: shows sessions as a table, a timeline or JSON.
 *
 * Readable sessions are printed even when others are not: a fault goes to stderr with its file and
 * line, and makes the status 1.
 *
 * @module
 */

import type { Runtime } from "../../ports/runtime.ts";
import type { LogLine, LogProblem } from "../../log/log.ts";
import { LogSyntaxError } from "../../log/log_syntax_error.ts";
import { printable } from "../../text/printable.ts";
import { reasonOf } from "../../text/reason.ts";
import { EpisodePrinter } from "../../timeline/episode_json.ts";
import { listing, type ListingRow, listingRow } from "../../timeline/listing.ts";
import { ansiPaint, type Paint, plainPaint } from "../../text/paint.ts";
import { type Overview, OverviewReader } from "../../timeline/overview.ts";
import { Timeline } from "../../timeline/timeline.ts";
import { expandHome } from "../../flags/expand_home.ts";
import type { LogStore } from "../../ports/files.ts";
import type { FlagTable, FlagValues } from "../../flags/flags.ts";
import { commandOf, type Run, UsageError } from "../../cli/command.ts";
import { noSessions } from "./no_sessions.ts";
import { SAME_TURN_FLAG, sameTurnMs } from "./same_turn_flag.ts";

/** The table of `hoist episodes`. */
export const EPISODES_FLAGS: FlagTable = {
  program: "hoist episodes",
  summary: "Lists the sessions of a folder, or prints one session as a timeline.",
  examples: ["hoist episodes ~/.hoist/logs/orders"],
  usage: ["[OPTIONS] DIR", "[OPTIONS] FILE"],
  flags: [
    { name: "json", help: "Print one JSON document: every session as an episode, with a summary." },
    SAME_TURN_FLAG,
    {
      name: "color",
      value: "WHEN",
      help: "auto, always or never. auto: on a terminal, unless NO_COLOR is set. Default: auto.",
    },
  ],
  positionals: ["DIR|FILE"],
  notes: [
    "DIR is what hoist-mcp --record was given. Its *.jsonl files are sessions, except\n" +
    "*.flow.jsonl and *.confirm.jsonl; subfolders are not read.",
    "Exit status: 0 done; 1 something could not be read (the rest is still printed);\n" +
    "2 wrong usage. A log cut in its last line, as a crash leaves it, is read with a warning.",
  ],
};

/** Where the sessions are. */
interface EpisodesPorts {
  readonly store: LogStore;
}

/** Runs `hoist episodes`. */
export const episodesCommand = commandOf(EPISODES_FLAGS, episodes);

async function episodes({ values, runtime, store }: Run<EpisodesPorts>): Promise<number> {
  const request = episodesRequest(values);
  const path = expandHome(request.path, runtime.env("HOME") ?? runtime.env("USERPROFILE")) ??
    request.path;
  const run = new EpisodesRun(request, runtime, store);
  try {
    if (await store.isFolder(path)) await run.folder(path);
    else await run.file(path);
  } catch (error) {
    run.fail(path, error);
  }
  return run.status;
}

/** The parsed command line. */
interface EpisodesRequest {
  /** Folder or file, as given. */
  readonly path: string;
  readonly isJson: boolean;
  readonly sameTurnMs: number;
  readonly color: "auto" | "always" | "never";
}

function episodesRequest(values: FlagValues): EpisodesRequest {
  const path = values.positionals[0];
  if (path === undefined || path === "") {
    throw new UsageError("Missing argument: a folder of sessions, or a session's file");
  }
  const color = values.get("color") ?? "auto";
  if (color !== "auto" && color !== "always" && color !== "never") {
    throw new UsageError(`--color needs auto, always or never, not "${color}"`);
  }
  return { path, isJson: values.has("json"), sameTurnMs: sameTurnMs(values), color };
}

/** One run of the command; its status turns 1 at the first fault. */
class EpisodesRun {
  status = 0;
  readonly #request: EpisodesRequest;
  readonly #runtime: Runtime;
  readonly #store: LogStore;
  readonly #paint: Paint;

  constructor(request: EpisodesRequest, runtime: Runtime, store: LogStore) {
    this.#request = request;
    this.#runtime = runtime;
    this.#store = store;
    const isColored = request.color === "always" ||
      (request.color === "auto" && runtime.stdoutIsTerminal &&
        runtime.env("NO_COLOR") === undefined);
    this.#paint = isColored ? ansiPaint : plainPaint;
  }

  async folder(dir: string): Promise<void> {
    const files = await this.#store.list(dir);
    if (files.length === 0) {
      this.#fault(noSessions(printable(dir)).message);
    }
    if (this.#request.isJson) return await this.#json(files.map((file) => file.path));
    const rows: ListingRow[] = [];
    for (const { path } of files) {
      const overview = await this.#overview(path);
      if (overview?.header !== undefined) rows.push(listingRow(overview));
    }
    if (rows.length > 0) this.#runtime.print(listing(rows, this.#paint).join("\n"));
  }

  async file(path: string): Promise<void> {
    if (this.#request.isJson) return await this.#json([path]);
    const overview = await this.#overview(path);
    if (overview === undefined) return;
    if (overview.header === undefined && overview.summary.lines === 0) return;
    const timeline = new Timeline(overview, { paint: this.#paint });
    const pieces = new Pieces(this.#runtime, "\n");
    timeline.header().forEach(pieces.add);
    await this.#again(path, (line) => timeline.take(line).forEach(pieces.add));
    pieces.end();
  }

  /** Says why something could not be read. */
  fail(path: string, error: unknown): void {
    const why = reasonOf(error);
    this.#fault(`Cannot read "${printable(path)}": ${printable(why)}`);
  }

  /** Prints session after session, each in pieces, so that none is in memory whole. */
  async #json(paths: readonly string[]): Promise<void> {
    let separator = "";
    this.#runtime.print('{"episodes":[');
    for (const path of paths) {
      const overview = await this.#overview(path);
      if (overview?.header === undefined) continue;
      const pieces = new Pieces(this.#runtime, "");
      pieces.add(separator);
      const printer = new EpisodePrinter(overview, overview.header, pieces.add, this.#request);
      await this.#again(path, (line) => printer.take(line));
      printer.end(overview.problems);
      pieces.end();
      separator = ",";
    }
    this.#runtime.print("]}");
  }

  /** Reads a log once, and says what is wrong with it. */
  async #overview(
    path: string,
  ): Promise<(Overview & { readonly problems: readonly LogProblem[] }) | undefined> {
    const reader = new OverviewReader(this.#request);
    try {
      const { header, problems } = await this.#store.scan(path, (line) => reader.take(line));
      for (const { line, message } of problems) {
        this.#runtime.say(`Warning: "${printable(path)}": line ${line} ${message}`);
      }
      return { ...reader.end(header), problems };
    } catch (error) {
      if (error instanceof LogSyntaxError) {
        this.#fault(error.message);
        return { ...reader.end(error.log.header), problems: error.log.problems };
      }
      this.fail(path, error);
      return undefined;
    }
  }

  /** Reads a log once more; its faults were told the first time. */
  async #again(path: string, onLine: (line: LogLine) => void): Promise<void> {
    try {
      await this.#store.scan(path, onLine);
    } catch (error) {
      if (!(error instanceof LogSyntaxError)) throw error;
    }
  }

  #fault(message: string): void {
    this.status = 1;
    this.#runtime.say(message);
  }
}

/** Text is printed in pieces of about this length. */
const PIECE_LENGTH = 65_536;

/** Collects text and prints it in pieces, each followed by a newline. */
class Pieces {
  readonly #runtime: Runtime;
  readonly #between: string;
  #texts: string[] = [];
  #length = 0;

  constructor(runtime: Runtime, between: string) {
    this.#runtime = runtime;
    this.#between = between;
  }

  readonly add = (text: string): void => {
    if (text.length > PIECE_LENGTH) { // Not joined: that would be a second copy of a long event.
      this.end();
      this.#runtime.print(text);
      return;
    }
    this.#texts.push(text);
    this.#length += text.length;
    if (this.#length > PIECE_LENGTH) this.end();
  };

  end(): void {
    if (this.#texts.length > 0) this.#runtime.print(this.#texts.join(this.#between));
    this.#texts = [];
    this.#length = 0;
  }
}
