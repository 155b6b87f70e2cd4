/**
 * `hoist-mcp --upstream`: a host on our standard streams, a server over HTTP.
 *
 * @module
 */

import { createLog, discardLog } from "../disk/log_folder.ts";
import type { Host } from "../host/host.ts";
import { redactUrl } from "../log/redact_url.ts";
import { LineSplitter } from "../wire/line_splitter.ts";
import type { HttpJob } from "./http_job.ts";
import type { PreparedMode } from "./http_worker.ts";
import { LineOutput } from "./line_output.ts";
import { LogTap } from "./log_tap.ts";
import { pruneOld, sessionFacts } from "./session_log.ts";
import { hostInput, hostOutput } from "./stdio.ts";
import { UpstreamLink } from "./upstream_link.ts";
import { UpstreamSession } from "./upstream_session.ts";

/**
 * Opens the log.
 *
 * @param job What to do.
 * @param host The machine.
 * @returns The mode.
 */
export function prepareUpstream(job: HttpJob, host: Host): PreparedMode {
  const startMs = host.monotonicMs();
  const { record, upstream, exitGraceMs } = job.options;
  const url = upstream?.url ?? "";
  const log = record === undefined ? undefined : createLog(record.dir, {
    ...sessionFacts(record, [redactUrl(url)], host),
    hostSession: job.hostSession,
  });
  if (log !== undefined) host.say(`recording to ${log.path}`);
  if (record !== undefined && log !== undefined) pruneOld(record, log.path, host);
  const tap = log === undefined ? undefined : new LogTap(log, startMs, host);
  const stop = Promise.withResolvers<"stopped">();
  const output = new LineOutput(hostOutput(), () => stop.resolve("stopped"));
  let hasBegun = false;
  return {
    stop() {
      if (!hasBegun && log !== undefined) discardLog(log);
      stop.resolve("stopped");
    },
    async run() {
      hasBegun = true;
      const session = new UpstreamSession({
        link: new UpstreamLink({ url, headers: job.headers }),
        output,
        tap,
        exitGraceMs,
        say: host.say,
      });
      const read = readHost(session, tap);
      if (await Promise.race([read, stop.promise]) === "stopped") await session.end();
      else if (await Promise.race([session.hostEof(), stop.promise]) === "stopped") {
        await session.end();
      }
      await tap?.close();
      return 0;
    },
  };
}

/** Reads the host to its end, a line at a time: one that cannot be sent yet holds the next. */
async function readHost(session: UpstreamSession, tap: LogTap | undefined): Promise<"ended"> {
  const input = hostInput();
  const splitter = new LineSplitter();
  for (;;) {
    const chunk = await input.read();
    if (chunk === null) break;
    tap?.client(chunk);
    const lines: Uint8Array[] = [];
    // The chunk is read into again while a line is under way.
    splitter.push(chunk, (line) => lines.push(line.buffer === chunk.buffer ? line.slice() : line));
    for (const line of lines) await session.line(line);
  }
  tap?.end("client");
  const rest = splitter.end();
  if (rest !== undefined) await session.line(rest);
  return "ended";
}
