/**
 * Records exchanges that are forwarded over HTTP, in the logs that
 * {@linkcode LogTable} chooses.
 *
 * @module
 */

import { concat } from "../bytes/concat.ts";
import type { LogTap } from "../relay/log_tap.ts";
import type { OpenLog, SessionNames } from "../relay/session_log.ts";
import { endsSession, LogTable } from "../session/listen/log_table.ts";
import { EventStreamParser, isMessageEvent } from "../wire/event_stream.ts";
import { oneLine, readJsonRpc } from "../wire/message.ts";
import { isReadable } from "../wire/reading.ts";

/** The logs of one upstream. */
export class HttpLogs {
  readonly #table: LogTable<LogTap>;
  readonly #open: (names: SessionNames) => OpenLog | undefined;
  readonly #logs = new WeakMap<LogTap, OpenLog>();
  #count = 0;

  /** Opens no log yet; `open` will. */
  constructor(open: (names: SessionNames) => OpenLog | undefined) {
    this.#open = open;
    this.#table = new LogTable({
      open: (hostSession) => {
        const log = this.#open({ hostSession, number: ++this.#count });
        if (log !== undefined) this.#logs.set(log.tap, log);
        return log?.tap;
      },
      close: (tap) => tap.close(),
    });
  }

  /** Records a POST's body; its log, in use until it is released. */
  request(body: Uint8Array, headers: Headers): LogTap | undefined {
    const isOpening = headers.get("mcp-session-id") === null && isReadable(body) &&
      readJsonRpc(body).messages[0]?.method === "initialize";
    const tap = this.#choose(headers, isOpening);
    tap?.clientLine(oneLine(body));
    return tap;
  }

  /** The log of a request whose lines the caller records, in use until it is released. */
  of(headers: Headers, isOpening: boolean): OpenLog | undefined {
    const tap = this.#choose(headers, isOpening);
    return tap && this.#logs.get(tap);
  }

  /** The log of a request without a body, in use until it is released. */
  tapOf(headers: Headers): LogTap | undefined {
    return this.#choose(headers, false);
  }

  /** Notes that an exchange has ended. */
  release(tap: LogTap): void {
    this.#table.release(tap);
  }

  /** Notes a response: it may begin or end a session. */
  opened(
    tap: LogTap,
    { request, response }: { readonly request: Request; readonly response: Response },
  ): void {
    const named = request.headers.get("mcp-session-id") ?? undefined;
    const given = response.headers.get("mcp-session-id") ?? undefined;
    this.#table.opened(tap, { named, given });
    if (named !== undefined && endsSession(request.method, response.status)) {
      this.#table.ended(named);
    }
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
  close(): Promise<void> {
    return this.#table.close();
  }

  #choose(headers: Headers, isOpening: boolean): LogTap | undefined {
    return this.#table.of({
      session: headers.get("mcp-session-id") ?? undefined,
      hostSession: headers.get("hoist-session") ?? undefined,
      isOpening,
    });
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

/** Records a body when it is complete. */
function whole(tap: LogTap): (chunk: Uint8Array | undefined) => void {
  const parts: Uint8Array[] = [];
  return (chunk) => {
    if (chunk !== undefined) parts.push(chunk.slice());
    else if (parts.length > 0) tap.serverLine(oneLine(concat(parts)));
  };
}
