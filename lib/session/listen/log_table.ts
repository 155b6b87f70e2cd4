/**
 * Chooses the log of each exchange that is forwarded over HTTP: one log for each
 * legacy session, by its session id, and one for everything else: the modern
 * era, and upstreams without sessions.
 *
 * A log is closed when its session has ended and no exchange of it is under way:
 * answers may come after the DELETE.
 *
 * @module
 */

/** Ports of the table. */
export interface LogTablePorts<Log> {
  /** Opens a log; undefined when that fails. */
  open(hostSession: string | undefined): Log | undefined;
  /** Closes a log. */
  close(log: Log): Promise<void>;
}

/** A request, as the table reads it. */
export interface LoggedRequest {
  /** Its `Mcp-Session-Id`. */
  readonly session: string | undefined;
  /** Its `Hoist-Session`. */
  readonly hostSession: string | undefined;
  /** Whether it is an `initialize` without a session. */
  readonly isOpening: boolean;
}

/** Logs that are open at once; the least recently used one is closed for one more. */
const MAX_OPEN = 256;

/** The logs of one upstream. */
export class LogTable<Log> {
  readonly #ports: LogTablePorts<Log>;
  /** By session id, the most recently used last. */
  readonly #bySession = new Map<string, Log>();
  /** Exchanges under way, by their log. */
  readonly #uses = new Map<Log, number>();
  /** Logs of ended sessions with exchanges still under way. */
  readonly #ending = new Set<Log>();
  #shared: Log | undefined;

  /** Opens no log yet. */
  constructor(ports: LogTablePorts<Log>) {
    this.#ports = ports;
  }

  /** The log of a request, in use until it is released. */
  of({ session, hostSession, isOpening }: LoggedRequest): Log | undefined {
    if (isOpening) return this.#use(this.#ports.open(hostSession));
    const own = session === undefined ? undefined : this.#bySession.get(session);
    if (session === undefined || own === undefined) {
      return this.#use(this.#shared ??= this.#ports.open(undefined));
    }
    this.#bySession.delete(session);
    this.#bySession.set(session, own);
    return this.#use(own);
  }

  /** Notes that an exchange has ended. */
  release(log: Log): void {
    const left = (this.#uses.get(log) ?? 1) - 1;
    if (left > 0) return void this.#uses.set(log, left);
    this.#uses.delete(log);
    if (this.#ending.delete(log)) this.#ports.close(log);
  }

  /** Notes a response, which may begin a session. */
  opened(
    log: Log,
    { named, given }: { readonly named: string | undefined; readonly given: string | undefined },
  ): void {
    if (named !== undefined || log === this.#shared) return;
    if (given === undefined) {
      this.#shared ??= log; // An upstream without sessions.
      return;
    }
    this.#bySession.set(given, log);
    const [oldest] = this.#bySession.keys();
    if (this.#bySession.size > MAX_OPEN && oldest !== undefined) this.ended(oldest);
  }

  /** Notes that a session has ended. */
  ended(session: string): void {
    const log = this.#bySession.get(session);
    this.#bySession.delete(session);
    if (log === undefined || log === this.#shared) return;
    if (this.#uses.has(log)) this.#ending.add(log);
    else this.#ports.close(log);
  }

  #use(log: Log | undefined): Log | undefined {
    if (log !== undefined) this.#uses.set(log, (this.#uses.get(log) ?? 0) + 1);
    return log;
  }

  /** Closes all logs. */
  async close(): Promise<void> {
    const logs = new Set([...this.#bySession.values(), ...this.#ending, ...this.#uses.keys()]);
    if (this.#shared !== undefined) logs.add(this.#shared);
    await Promise.all([...logs].map((log) => this.#ports.close(log)));
  }
}

/** Whether a response ends the session that its request named. */
export function endsSession(method: string, status: number): boolean {
  return method === "DELETE" ? status >= 200 && status < 300 : status === 404;
}
