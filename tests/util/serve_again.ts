/**
 * Serves recorded sessions again, each to its own client: what that got, and what it gets now.
 *
 * Usage: `deno task serve:again LOG|DIR…`. Prints the logs that differ; the exit status is 1 if one does.
 *
 * @module
 */

import { openTape } from "../../lib/disk/tape/tape_files.ts";
import { readLog } from "../../lib/disk/read_log.ts";
import { NO_RECORDED_ANSWER, TapePlayer } from "../../lib/tape/tape_player.ts";
import type { LogLine } from "../../lib/log/log.ts";

/** A session as it was and as it is served. */
export interface ServedAgain {
  /** The messages that the host got, sorted. Those of a batch stand one by one, as JSON. */
  readonly then: readonly string[];
  readonly now: readonly string[];
  /** The tape's own errors: for a request that had no answer, and for a line that is no JSON. */
  readonly errors: number;
  /** Requests that were not found on the tape. */
  readonly missed: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Serves the session of one log to its own client. */
export async function serveAgain(path: string): Promise<ServedAgain> {
  const { lines } = await readLog(path);
  using opened = openTape([path]);
  const now: string[] = [];
  const player = new TapePlayer(
    opened.tape,
    { isTimed: false, onMiss: "error", isAgain: false },
    {
      read: opened.read,
      send: (line) => void now.push(decoder.decode(line)),
      wait: () => Promise.resolve(),
    },
  );
  const then: string[] = [];
  for (const line of lines) {
    if (line.from === "client") {
      if (line.kind === "message" || line.line_bytes === undefined) {
        player.take(encoder.encode(line.kind === "raw" ? line.raw : line.text));
      }
      await Promise.resolve();
    } else if (line.from === "server") then.push(...textsOf(line));
    else if (line.from === "proxy" && line.kind === "message") {
      // What a proxy answered is what the host got.
      const { id, method } = Object(line.message);
      const isOfIt = (text: string) => text.startsWith("{") && JSON.parse(text).id === id;
      if (method !== undefined) continue;
      then.splice(0, then.length, ...then.filter((text) => !isOfIt(text)), line.text);
    }
  }
  await player.end();
  const own = [NO_RECORDED_ANSWER, "Parse error: the line is no JSON"];
  const answered = now.filter((line) => !own.some((text) => line.includes(text)));
  return {
    then: then.sort(),
    now: answered.sort(),
    errors: now.length - answered.length,
    missed: player.missed,
  };
}

function textsOf(line: LogLine): string[] {
  if (line.kind === "raw") return line.line_bytes === undefined ? [line.raw] : [];
  const { text, message } = line;
  return Array.isArray(message) ? message.map((each) => JSON.stringify(each)) : [text];
}

/** The log files that paths name. */
function logsOf(paths: readonly string[]): string[] {
  return paths.flatMap((path) =>
    Deno.statSync(path).isDirectory
      ? [...Deno.readDirSync(path)].map(({ name }) => `${path}/${name}`)
        .filter((name) => name.endsWith(".jsonl")).sort()
      : [path]
  );
}

if (import.meta.main) {
  let same = 0;
  let messages = 0;
  let own = 0;
  const logs = logsOf(Deno.args);
  for (const log of logs) {
    const { then, now, missed, errors } = await serveAgain(log);
    own += errors;
    const lost = then.filter((line) => !now.includes(line));
    const added = now.filter((line) => !then.includes(line));
    messages += then.length;
    if (lost.length + added.length + missed === 0 && then.length === now.length) same++;
    else {
      console.log(`${log}: ${then.length} then, ${now.length} now, ${missed} missed`);
      for (const [sign, [line = ""]] of [["-", lost], ["+", added]] as const) {
        if (line !== "") console.log(`  ${sign} ${line.slice(0, 200)}`);
      }
    }
  }
  console.log(
    `${same} of ${logs.length} logs are served as they were; ${messages} messages; ` +
      `${own} requests had no answer, or were no JSON, and get an error`,
  );
  Deno.exit(same === logs.length ? 0 : 1);
}
