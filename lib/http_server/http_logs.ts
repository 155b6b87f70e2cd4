/**
 * The logs of exchanges that are forwarded over HTTP: one for each legacy
 * session, by its session id, and one for all that belongs to none: the modern
 * era, and upstreams without sessions.
 *
 * A log is closed when its session has ended and no exchange of it is under way:
 * answers may come after the DELETE.
 *
 * @module
 */

import { createLog } from "../disk/log_folder.ts";
import type { Runtime } from "../ports/runtime.ts";
import { redactUrl } from "../log/redact_url.ts";
import { concat } from "../bytes/concat.ts";
import { EventStreamParser, isMessageEvent } from "../wire/event_stream.ts";
import { isJson } from "../json/json_spans.ts";
import { oneLine, readJsonRpc } from "../wire/message.ts";
import type { WorkerJob } from "../proxy/worker_job.ts";
import { LogTap } from "../relay/log_tap.ts";
import type { OpenLog } from "./modern_member.ts";
import { pruneOld, sessionFacts } from "../proxy/session_log.ts";
import { reasonOf } from "../text/reason.ts";

/** Logs that are open at once; the one used least lately is closed for one more. */
const MAX_OPEN = 256;

/** The logs of one upstream. */
export class HttpLogs {
  readonly #job: WorkerJob;
  readonly #runtime: Runtime;
  /** By session id, the one used last at the end. */
  readonly #taps = new Map<string, LogTap>();
  readonly #names = new WeakMap<LogTap, { readonly path: string; readonly session: string }>();
  /** Exchanges under way, by their log. */
  readonly #uses = new Map<LogTap, number>();
  /** Logs of sessions that have ended, with exchanges still under way. */
  readonly #ending = new Set<LogTap>();
  #shared: LogTap | undefined;
  #count = 0;

  /** Opens no log yet. */
  constructor(job: WorkerJob, runtime: Runtime) {
    this.#job = job;
    this.#runtime = runtime;
  }

  /** Records a POST's body; the log it went to, which is in use until it is released. */
  request(body: Uint8Array, headers: Headers): LogTap | undefined {
    const isOpening = headers.get("mcp-session-id") === null && isJson(body) &&
      readJsonRpc(body).messages[0]?.method === "initialize";
    const tap = this.#choose(headers, isOpening);
    tap?.clientLine(oneLine(body));
    return tap;
  }

  /** The log a request belongs to, for who records it line by line, in use until it is released. */
  of(headers: Headers, isOpening: boolean): OpenLog | undefined {
    const tap = this.#choose(headers, isOpening);
    const names = tap && this.#names.get(tap);
    return tap && names && { tap, ...names };
  }

  #choose(headers: Headers, isOpening: boolean): LogTap | undefined {
    return isOpening ? this.#use(this.#open(headers.get("hoist-session"))) : this.tapOf(headers);
  }

  /** The log that a request's headers choose, which is in use until it is released. */
  tapOf(headers: Headers): LogTap | undefined {
    const session = headers.get("mcp-session-id");
    const own = session === null ? undefined : this.#taps.get(session);
    if (session === null || own === undefined) {
      return this.#use(this.#shared ??= this.#open(null));
    }
    this.#taps.delete(session);
    this.#taps.set(session, own);
    return this.#use(own);
  }

  /** An exchange has ended. */
  release(tap: LogTap): void {
    const left = (this.#uses.get(tap) ?? 1) - 1;
    if (left > 0) return void this.#uses.set(tap, left);
    this.#uses.delete(tap);
    if (this.#ending.delete(tap)) tap.close();
  }

  /** A response has come: a session begins or ends with it. */
  opened(
    tap: LogTap,
    { request, response }: { readonly request: Request; readonly response: Response },
  ): void {
    const named = request.headers.get("mcp-session-id");
    const session = response.headers.get("mcp-session-id");
    if (named === null && session !== null && tap !== this.#shared) {
      this.#taps.set(session, tap);
      const [oldest] = this.#taps.keys();
      if (this.#taps.size > MAX_OPEN && oldest !== undefined) this.#close(oldest);
    } else if (named === null && tap !== this.#shared) {
      this.#shared ??= tap; // A server without sessions.
    }
    const isOver = request.method === "DELETE" ? response.ok : response.status === 404;
    if (named !== null && isOver) this.#close(named);
  }

  /** A body that is recorded as it is forwarded; its end ends the exchange. */
  tapped(
    tap: LogTap,
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
    contentType: string | null,
  ): ReadableStream<Uint8Array<ArrayBuffer>> {
    const reader = body.getReader();
    let isOver = false;
    const end = () => {
      if (!isOver) this.release(tap);
      isOver = true;
    };
    const record = contentType?.startsWith("text/event-stream") ? events(tap) : whole(tap);
    return new ReadableStream({
      pull: async (controller) => {
        try {
          const { value, done } = await reader.read();
          record(value);
          if (!done) return controller.enqueue(value);
          controller.close();
        } catch (error) {
          controller.error(error); // One of the two hung up.
        }
        end();
      },
      cancel: (reason) => {
        end();
        return reader.cancel(reason);
      },
    });
  }

  /** Closes all logs. */
  async close(): Promise<void> {
    const taps = new Set([...this.#taps.values(), ...this.#ending]);
    if (this.#shared !== undefined) taps.add(this.#shared);
    await Promise.all([...taps].map((tap) => tap.close()));
  }

  #close(session: string): void {
    const tap = this.#taps.get(session);
    this.#taps.delete(session);
    if (tap === undefined || tap === this.#shared) return;
    if (this.#uses.has(tap)) this.#ending.add(tap);
    else tap.close();
  }

  #use(tap: LogTap | undefined): LogTap | undefined {
    if (tap !== undefined) this.#uses.set(tap, (this.#uses.get(tap) ?? 0) + 1);
    return tap;
  }

  #open(hostSession: string | null): LogTap | undefined {
    const { record, upstream } = this.#job.options;
    if (record === undefined) return undefined;
    try {
      const log = createLog(record.dir, {
        ...sessionFacts(record, [redactUrl(upstream?.url ?? "")], this.#runtime),
        hostSession: hostSession ?? undefined,
        number: ++this.#count,
      });
      pruneOld(record, log.path, this.#runtime);
      const tap = new LogTap(log, this.#runtime.monotonicMs(), this.#runtime);
      this.#names.set(tap, { path: log.path, session: log.session });
      return tap;
    } catch (error) {
      this.#runtime.say(reasonOf(error));
      return undefined; // The session goes on without a log.
    }
  }
}

/** Records each event's message as it comes. */
function events(tap: LogTap): (chunk: Uint8Array | undefined) => void {
  const parser = new EventStreamParser();
  return (chunk) => {
    if (chunk === undefined) return;
    parser.push(chunk, (event) => {
      if (isMessageEvent(event)) tap.serverLine(oneLine(event.data));
    });
  };
}

/** Records a body when it is whole. */
function whole(tap: LogTap): (chunk: Uint8Array | undefined) => void {
  const parts: Uint8Array[] = [];
  return (chunk) => {
    if (chunk !== undefined) parts.push(chunk.slice());
    else if (parts.length > 0) tap.serverLine(oneLine(concat(parts)));
  };
}
