/**
 * `hoist episodes`: sessions as a table, a timeline or JSON.
 *
 * What can be read is printed even when something else cannot: a fault goes to
 * stderr, names its file and line, and makes the status 1.
 *
 * @module
 */

import type { Runtime } from "../../ports/runtime.ts";
import type { LogHeader, PartialLog } from "../../log/log.ts";
import { LogSyntaxError } from "../../log/log_syntax_error.ts";
import { printable } from "../../text/printable.ts";
import { reasonOf } from "../../text/reason.ts";
import { episodeJson } from "../../timeline/episode_json.ts";
import { listing, type ListingRow, listingRow } from "../../timeline/listing.ts";
import { ansiPaint, type Paint, plainPaint } from "../../text/paint.ts";
import { traceOf } from "../../trace/trace.ts";
import { timeline } from "../../timeline/timeline.ts";
import { type EpisodesRequest, parseEpisodesFlags } from "./episodes_flags.ts";
import { expandHome } from "../../flags/expand_home.ts";
import type { LogStore } from "../../ports/files.ts";

/**
 * Runs `hoist episodes`.
 *
 * @param args The arguments after the subcommand.
 * @param runtime Where to print.
 * @param store Where the sessions are.
 * @returns The exit status.
 */
export async function episodesCommand(
  args: readonly string[],
  runtime: Runtime,
  store: LogStore,
): Promise<number> {
  const request = parseEpisodesFlags(args);
  if (request.kind === "text") {
    runtime.print(request.text);
    return 0;
  }
  if (request.kind === "refused") {
    for (const line of request.message.split("\n")) runtime.say(line);
    return 2;
  }
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
      this.#fault(
        `No sessions in "${printable(dir)}": there is no *.jsonl file ` +
          "(*.flow.jsonl and *.confirm.jsonl do not count, subfolders are not read)",
      );
    }
    if (this.#request.isJson) return await this.#json(files.map((file) => file.path));
    const rows: ListingRow[] = [];
    for (const { path } of files) {
      const log = await this.#read(path);
      if (log.header !== undefined) rows.push(listingRow(traceOf(log), this.#request));
    }
    if (rows.length > 0) this.#runtime.print(listing(rows, this.#paint).join("\n"));
  }

  async file(path: string): Promise<void> {
    if (this.#request.isJson) return await this.#json([path]);
    const log = await this.#read(path);
    if (log.header === undefined && log.lines.length === 0) return;
    const { sameTurnMs } = this.#request;
    const lines = timeline(traceOf(log), { sameTurnMs, paint: this.#paint });
    this.#runtime.print(lines.join("\n"));
  }

  /** Says why something could not be read. */
  fail(path: string, error: unknown): void {
    const why = reasonOf(error);
    this.#fault(`Cannot read "${printable(path)}": ${printable(why)}`);
  }

  /** Prints session after session, so that only one is in memory. */
  async #json(paths: readonly string[]): Promise<void> {
    let separator = "";
    this.#runtime.print('{"episodes":[');
    for (const path of paths) {
      const log = await this.#read(path);
      if (!hasHeader(log)) continue;
      this.#runtime.print(separator + JSON.stringify(episodeJson(log, this.#request)));
      separator = ",";
    }
    this.#runtime.print("]}");
  }

  async #read(path: string): Promise<PartialLog> {
    try {
      const log = await this.#store.read(path);
      for (const { line, message } of log.problems) {
        this.#runtime.say(`Warning: "${printable(path)}": line ${line} ${message}`);
      }
      return log;
    } catch (error) {
      if (error instanceof LogSyntaxError) {
        this.#fault(error.message);
        return error.log;
      }
      this.fail(path, error);
      return { header: undefined, lines: [], problems: [] };
    }
  }

  #fault(message: string): void {
    this.status = 1;
    this.#runtime.say(message);
  }
}

function hasHeader(log: PartialLog): log is PartialLog & { readonly header: LogHeader } {
  return log.header !== undefined;
}
