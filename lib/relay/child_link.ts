/**
 * Connects an HTTP session to a server that is a child process: lines in, lines
 * out, recording, and shutdown by the same rules as a session on stdio.
 *
 * @module
 */

import type { StopSignal } from "../session/life.ts";
import { concat } from "../bytes/concat.ts";
import { LineSplitter } from "../bytes/line_splitter.ts";
import type { ByteSource } from "./pump.ts";
import { startServer } from "./server_process.ts";
import { type RelayTap, type RunningRelay, startRelay } from "./relay.ts";

/** Options for {@linkcode ChildLink}. */
export interface ChildLinkOptions {
  /** The server's program and arguments. */
  readonly command: readonly string[];
  /** Observes the bytes. */
  readonly tap: RelayTap | undefined;
  /** `--exit-grace` in milliseconds. */
  readonly exitGraceMs: number;
  /** Prints a line for the user. */
  readonly say: (line: string) => void;
  /** Called once when the server has closed its output. */
  readonly onEnd?: () => void;
  /** Called with each line of the server; the line is valid until the call returns. */
  readonly onLine: (line: Uint8Array) => void;
  /** Back-pressure: settles when the hosts have taken enough; undefined when they have already. */
  readonly room: () => Promise<void> | undefined;
}

const NEWLINE = new Uint8Array([10]);

/** A running server. */
export class ChildLink {
  readonly #input = new Inbox();
  readonly #session: RunningRelay;
  /** Settles when the reaper watches the server, so that it ends even if this process is killed. */
  readonly adopted: Promise<void>;

  /** Starts the server; throws when that fails. */
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
      tap: {
        client: (chunk) => tap?.client(chunk),
        server: (chunk) => tap?.server(chunk),
        end: (from) => {
          tap?.end(from);
          if (from === "client") return;
          const rest = splitter.end(); // A last line without its newline is a line.
          if (rest !== undefined) options.onLine(rest);
          options.onEnd?.();
        },
      },
      exitGraceMs,
      say,
    });
    // This process lives on, so the reaper must be told.
    this.#session.done.finally(server.release).catch(() => {});
  }

  /** The server's exit status, once the process and its output have ended. */
  get done(): Promise<number> {
    return this.#session.done;
  }

  /** Bytes that the server has not taken yet. */
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

  /** Passes a signal to the server and ends the session. */
  signal(signal: StopSignal): void {
    this.#session.signal(signal);
  }
}

/** The queue of lines to the server. */
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
