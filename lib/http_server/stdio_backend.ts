/**
 * Serves HTTP hosts with servers on stdio: starts the processes and opens the
 * logs that {@linkcode HttpSessions} and {@linkcode ModernPool} ask for.
 *
 * @module
 */

import { redactArgs } from "../log/redact_args.ts";
import { accepts, type HeaderReader } from "../mcp/http_rules.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { ProxyOptions } from "../proxy_options/proxy_flags.ts";
import { ChildLink } from "../relay/child_link.ts";
import { type DiscardableLog, type OpenLog, sessionLogs } from "../relay/session_log.ts";
import { denoTimers } from "../runtime/deno_timers.ts";
import { HttpSession } from "../session/listen/http_session.ts";
import { HttpSessions, type HttpSessionsOptions } from "../session/listen/http_sessions.ts";
import { ModernPool } from "../session/listen/modern_pool.ts";
import type { ServerChainEnds } from "../session/listen/modern_server.ts";
import { Pulse } from "../session/listen/pulse.ts";
import type { ReplyWire } from "../session/listen/reply_wire.ts";
import type {
  ChainEnds,
  ClosableLog,
  LineChain,
  ServerChains,
  ServerHooks,
  ServerLink,
} from "../session/listen/server_link.ts";
import type { ListenBackend } from "./listen_server.ts";
import { ResponseWire } from "./response_wire.ts";

/** Makes the interceptors of sessions. */
export interface BackendChains {
  /** Makes the chain of a legacy session. */
  session(ends: ChainEnds & ChainNames): LineChain;
  /** Makes the chains of a server of the modern pool. */
  server(
    ends: Omit<ServerChainEnds, "log"> & { readonly log: () => OpenLog | undefined },
  ): ServerChains;
}

/** The names of a legacy session, for its chain. */
export interface ChainNames {
  /** Its id. */
  readonly id: string;
  /** Its host session. */
  readonly hostSession: string | undefined;
  /** Its log. */
  readonly log: OpenLog | undefined;
}

/** How long the end waits for sessions and their logs. */
const STOP_MS = 10_000;
/** Idle sessions are looked for this often, or four times in the time that they may be idle. */
const IDLE_CHECK_MS = 30_000;

/** Serves HTTP hosts with servers on stdio. */
export class StdioBackend implements ListenBackend {
  readonly #options: ProxyOptions;
  readonly #runtime: Runtime;
  readonly #chains: BackendChains | undefined;
  readonly #pulse = new Pulse(denoTimers);
  readonly #sessions: HttpSessions;
  readonly #openLog: ReturnType<typeof sessionLogs>;
  /** The logs of servers of the pool, by what the core knows of them. */
  readonly #poolLogs = new WeakMap<ClosableLog, OpenLog>();
  readonly #idle: ReturnType<typeof setInterval>;
  #count = 0;

  /** Starts with no session; `chains` makes the interceptors of each. */
  constructor(options: ProxyOptions, runtime: Runtime, chains?: BackendChains) {
    this.#options = options;
    this.#runtime = runtime;
    this.#chains = chains;
    this.#openLog = sessionLogs(options.record, redactArgs(options.command), runtime);
    this.#sessions = new HttpSessions({
      pool: this.#pool(),
      newId: () => crypto.randomUUID(),
      start: (id, how) => this.#start(id, how),
      monotonicMs: runtime.monotonicMs,
      say: runtime.say,
    });
    const idleMs = options.listen?.idleMs ?? Infinity;
    this.#idle = setInterval(
      () => this.#sessions.endIdle(idleMs),
      Math.min(IDLE_CHECK_MS, idleMs / 4),
    );
  }

  post(body: Uint8Array, request: Request, header: HeaderReader): Promise<Response> {
    // Where the host accepts no stream, only the request's signal shows that it leaves.
    const left = accepts(header("accept")).events ? undefined : request.signal;
    return answered((wire) => this.#sessions.post(body, header, wire), left);
  }

  get(_request: Request, header: HeaderReader): Promise<Response> {
    return answered((wire) => this.#sessions.get(header, wire));
  }

  delete(_request: Request, header: HeaderReader): Promise<Response> {
    return answered((wire) => this.#sessions.delete(header, wire));
  }

  async stop(): Promise<void> {
    clearInterval(this.#idle);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => timer = setTimeout(resolve, STOP_MS));
    await Promise.race([this.#sessions.stop(), late]);
    clearTimeout(timer);
    this.#pulse.stop();
  }

  #pool(): ModernPool {
    const { say, monotonicMs } = this.#runtime;
    const chains = this.#chains;
    return new ModernPool({
      start: (hooks) => this.#startServer(hooks),
      pulse: this.#pulse,
      timers: denoTimers,
      say,
      monotonicMs,
      openLog: () => {
        const log = this.#nextLog(undefined);
        if (log !== undefined) this.#poolLogs.set(log.tap, log);
        return log?.tap;
      },
      chains: chains && ((ends) =>
        chains.server({
          ...ends,
          log: () => {
            const tap = ends.log();
            return tap && this.#poolLogs.get(tap);
          },
        })),
    });
  }

  #start(
    id: string,
    { hostSession, onEnd }: Parameters<HttpSessionsOptions["start"]>[1],
  ): HttpSession {
    const log = this.#nextLog(hostSession);
    const chains = this.#chains;
    try {
      return new HttpSession({
        start: (hooks) => this.#startServer(hooks),
        tap: log?.tap,
        chain: chains &&
          ((ends) => chains.session({ ...ends, id: log?.session ?? id, hostSession, log })),
        pulse: this.#pulse,
        timers: denoTimers,
        say: this.#runtime.say,
        onEnd,
      });
    } catch (error) {
      log?.discard(); // There was no session.
      throw error;
    }
  }

  #startServer(hooks: ServerHooks): ServerLink {
    const { command, exitGraceMs } = this.#options;
    const link = new ChildLink({ ...hooks, command, exitGraceMs, say: this.#runtime.say });
    return Object.assign(link, { terminate: () => link.signal("SIGTERM") });
  }

  #nextLog(hostSession: string | undefined): DiscardableLog | undefined {
    return this.#openLog({ hostSession, number: ++this.#count });
  }
}

/** The response that something makes on a wire. */
async function answered(
  answer: (wire: ReplyWire) => void | Promise<void>,
  left?: AbortSignal,
): Promise<Response> {
  const wire = new ResponseWire(left);
  await answer(wire);
  return await wire.response;
}
