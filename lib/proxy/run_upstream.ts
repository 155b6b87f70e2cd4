/**
 * `hoist-mcp --upstream`: a host on our standard streams, a server over HTTP.
 *
 * @module
 */

import { createLog, discardLog } from "../disk/log_folder.ts";
import type { Runtime } from "../ports/runtime.ts";
import { sessionId } from "../log/header.ts";
import { redactUrl } from "../log/redact_url.ts";
import { LineSplitter } from "../bytes/line_splitter.ts";
import type { NewSession } from "../intercept/kinds/chains.ts";
import type { InterceptorJob } from "./interceptors.ts";
import type { WorkerJob } from "./worker_job.ts";
import type { PreparedMode } from "./prepared_mode.ts";
import { LineOutput } from "../relay/line_output.ts";
import { LogTap } from "../relay/log_tap.ts";
import { pruneOld, sessionFacts } from "../relay/session_log.ts";
import { hostInput, hostOutput } from "../relay/stdio.ts";
import { HttpLink, type HttpLinkOptions } from "../http_client/http_link.ts";
import type { UpstreamOptions } from "../proxy_options/http_flags.ts";
import { openSignIn } from "./upstream_sign_in.ts";
import { denoTimers } from "../runtime/deno_timers.ts";
import { UpstreamBridge, type UpstreamBridgeOptions } from "../session/upstream/bridge.ts";
import { FoundLink } from "../session/upstream/found_link.ts";
import type { UpstreamLink } from "../session/upstream/link.ts";
import { SseLink } from "../session/upstream/sse_link.ts";

/**
 * Opens the log.
 *
 * @param job What to do.
 * @param runtime The machine.
 * @returns The mode.
 */
export async function prepareUpstream(job: WorkerJob, runtime: Runtime): Promise<PreparedMode> {
  const auth = await openSignIn(job.options.upstream, job.network, runtime);
  const startMs = runtime.monotonicMs();
  const { record, upstream, exitGraceMs } = job.options;
  const url = upstream?.url ?? "";
  const log = record === undefined ? undefined : createLog(record.dir, {
    ...sessionFacts(record, [redactUrl(url)], runtime),
    hostSession: job.hostSession,
  });
  if (log !== undefined) runtime.say(`recording to ${log.path}`);
  if (record !== undefined && log !== undefined) pruneOld(record, log.path, runtime);
  const tap = log === undefined ? undefined : new LogTap(log, startMs, runtime);
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
      const open = (changes: Partial<UpstreamBridgeOptions> = {}) =>
        new UpstreamBridge({
          link: linkTo(upstream, {
            headers: job.headers,
            network: job.network,
            auth,
            say: runtime.say,
          }),
          timers: denoTimers,
          output,
          tap,
          exitGraceMs,
          say: runtime.say,
          ...changes,
        });
      const session = job.interceptors === undefined
        ? passing(open(), tap)
        : await chained(job.interceptors, {
          job,
          runtime,
          output,
          open,
          log: log && tap && { tap, path: log.path, session: log.session },
        });
      const read = readHost(session);
      if (await Promise.race([read, stop.promise]) === "stopped") await session.end();
      else if (await Promise.race([session.hostEof(), stop.promise]) === "stopped") {
        await session.end();
      }
      await session.over();
      await tap?.close();
      return 0;
    },
  };
}

/** The way to the upstream, by the transport that it speaks. */
function linkTo(
  upstream: UpstreamOptions | undefined,
  options: Omit<HttpLinkOptions, "url"> & { readonly say: Runtime["say"] },
): UpstreamLink {
  const { url = "", transport = "auto" } = upstream ?? {};
  const present = new HttpLink({ ...options, url });
  if (transport === "http") return present;
  const old = new SseLink({
    url,
    linkTo: (address) => new HttpLink({ ...options, url: address, signInUrl: url }),
    timers: denoTimers,
  });
  return transport === "sse" ? old : new FoundLink(present, old, options.say);
}

/** A session as who reads the host sees it. */
interface HostReader {
  /** A chunk of the host's, before it is cut into lines. */
  chunk(bytes: Uint8Array): void;
  /** A line of it; settles when the next may be read. */
  line(line: Uint8Array): Promise<void>;
  /** The host's input has ended. */
  ended(): void;
  hostEof(): Promise<void>;
  end(): Promise<void>;
  /** All is over. */
  over(): Promise<void>;
}

function passing(session: UpstreamBridge, tap: LogTap | undefined): HostReader {
  return {
    chunk: (bytes) => tap?.client(bytes),
    line: (line) => session.line(line),
    ended: () => tap?.end("client"),
    hostEof: () => session.hostEof(),
    end: () => session.end(),
    over: () => Promise.resolve(),
  };
}

/** A session with a chain of interceptors. */
async function chained(
  interceptors: InterceptorJob,
  { job, runtime, output, open, log }: {
    readonly job: WorkerJob;
    readonly runtime: Runtime;
    readonly output: LineOutput;
    readonly open: (changes: Partial<UpstreamBridgeOptions>) => UpstreamBridge;
    readonly log: (NewSession["log"] & { readonly session: string }) | undefined;
  },
): Promise<HostReader> {
  const { openInterceptors } = await import("./interceptors.ts");
  const chains = await openInterceptors(job.options, interceptors, runtime);
  let sending: Promise<void> = Promise.resolve();
  const chain = chains.begin({
    id: log?.session ?? sessionId(runtime.unixMs(), runtime.pid),
    hostSession: job.hostSession,
    log,
    isServerRecorded: true,
    toHost: (line) => void output.write(line.slice()),
    toHostNote: (line) => void output.write(line.slice()),
    toServer: (line) => {
      const own = line.slice();
      sending = sending.then(() => session.line(own));
    },
  });
  const session = open({
    ownId: () => JSON.parse(chain.ownId()),
    output: {
      write: (line) => {
        chain.fromServer(line);
        return output.taken;
      },
    },
  });
  return {
    chunk: () => {},
    line: (line) => {
      chain.fromHost(line);
      return sending;
    },
    ended: () => {},
    async hostEof() {
      await chain.close();
      await sending;
      await session.hostEof();
    },
    end: () => session.end(),
    async over() {
      await chain.close();
      await output.taken;
      await chain.end();
    },
  };
}

/** Reads the host to its end, a line at a time: one that cannot be sent yet holds the next. */
async function readHost(session: HostReader): Promise<"ended"> {
  const input = hostInput();
  const splitter = new LineSplitter();
  for (;;) {
    const chunk = await input.read();
    if (chunk === null) break;
    session.chunk(chunk);
    const lines: Uint8Array[] = [];
    // The chunk is read into again while a line is under way.
    splitter.push(chunk, (line) => lines.push(line.buffer === chunk.buffer ? line.slice() : line));
    for (const line of lines) await session.line(line);
  }
  session.ended();
  const rest = splitter.end();
  if (rest !== undefined) await session.line(rest);
  return "ended";
}
