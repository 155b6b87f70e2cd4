/**
 * A server as a child process behind HTTP: lines in, lines out, its log, and
 * its end, which follows the same rules as a session on the standard streams.
 *
 * @module
 */

import type { StopSignal } from "../session/life.ts";
import { concat } from "../bytes/concat.ts";
import { LineSplitter } from "../bytes/line_splitter.ts";
import type { ByteSource } from "./pump.ts";
import { startServer } from "./server_process.ts";
import { type RelayTap, type RunningRelay, startRelay } from "./relay.ts";

/** What a link is made of. */
export interface ChildLinkOptions {
  /** The server's program and arguments. */
  readonly command: readonly string[];
  /** Sees the bytes go by. */
  readonly tap: RelayTap | undefined;
  /** `--exit-grace` in milliseconds. */
  readonly exitGraceMs: number;
  /** Tells the user. */
  readonly say: (line: string) => void;
  /** Given each line of the server, valid until it returns. */
  readonly onLine: (line: Uint8Array) => void;
  /** Settles when the hosts have taken enough to read on; undefined when they have. */
  readonly room: () => Promise<void> | undefined;
}

const NEWLINE = new Uint8Array([10]);

/** A running server. */
export class ChildLink {
  readonly #input = new Inbox();
  readonly #session: RunningRelay;
  /** Settles when the server is sure to end with this process, even if that is killed. */
  readonly adopted: Promise<void>;

  /** Starts the server. Throws when it cannot be started. */
  constructor(options: ChildLinkOptions) {
    const { command, tap, exitGraceMs, say } = options;
    const splitter = new LineSplitter();
    const server = startServer(command, say);
    this.adopted = server.adopted;
    this.#session = startRelay({
      input: this.#input,
      output: {
        write(bytes) {
          splitter.push(bytes, options.onLine);
          return options.room() ?? Promise.resolve();
        },
      },
      server,
      tap,
      exitGraceMs,
      say,
    });
    // This process goes on, so the reaper would wait for its end in vain.
    this.#session.done.finally(server.release).catch(() => {});
  }

  /** The server's status, once it and its output have ended. */
  get done(): Promise<number> {
    return this.#session.done;
  }

  /** Bytes that the server has not read yet. */
  get waitingBytes(): number {
    return this.#input.bytes;
  }

  /** Sends a line. */
  send(line: Uint8Array): void {
    this.#input.put(line);
  }

  /** Closes the server's input. */
  close(): void {
    this.#input.end();
  }

  /** Hands a signal on to the server, and ends it. */
  signal(signal: StopSignal): void {
    this.#session.signal(signal);
  }
}

/** Lines on their way to the server. */
class Inbox implements ByteSource {
  bytes = 0;
  #parts: Uint8Array[] = [];
  #isEnded = false;
  #wake: (() => void) | undefined;

  put(line: Uint8Array): void {
    if (this.#isEnded) return;
    this.#parts.push(line, NEWLINE);
    this.bytes += line.length + 1;
    this.#wake?.();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#parts.length === 0 && !this.#isEnded) {
      await new Promise<void>((resolve) => this.#wake = resolve);
      this.#wake = undefined;
    }
    if (this.#parts.length === 0) return null;
    const parts = this.#parts;
    this.#parts = [];
    this.bytes = 0;
    return concat(parts);
  }
}
