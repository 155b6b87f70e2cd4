/**
 * One child process of a server that is started again: its lines, what it has
 * not taken yet, and its end.
 *
 * @module
 */

import { concat } from "../bytes/concat.ts";
import { LineSplitter } from "../bytes/line_splitter.ts";
import type { ServerProcess } from "../relay/server_process.ts";
import type { ServerLine } from "../session/restart/restart_effects.ts";
import type { Timers } from "../session/timers.ts";

/** Ports of {@linkcode ChildSession}. */
export interface ChildPorts {
  readonly timers: Timers;
  /** Back-pressure: settles when the host has taken enough. */
  room(): Promise<void>;
  /** Called with each line of the server; the line may be kept. */
  onLine(line: Uint8Array): void;
  /** Called when the server has taken a line. */
  onTaken(): void;
}

/** The end of a child process. */
export interface ChildEnd {
  /** Its exit status. */
  readonly code: number;
  /** The lines of which it has not got a byte. */
  readonly unsent: readonly ServerLine[];
  /** The start of a line that it did not end. */
  readonly rest: Uint8Array | undefined;
}

const NEWLINE = new Uint8Array([10]);
/** The shortest PIPE_BUF that POSIX systems have in use. */
const ATOMIC_BYTES = 512;
/** How long the output of a server that has exited may be silent: a grandchild holds the pipe. */
const QUIET_MS = 300;
/** From the end of a server's output, or of its input, to SIGTERM. */
const TO_TERM_MS = 150;
/** From SIGTERM to SIGKILL. */
const TO_KILL_MS = 2_000;

/** A child process. */
export class ChildSession {
  /** The process. */
  readonly server: ServerProcess;
  /** Settles once when the process and its output have ended. */
  readonly gone: Promise<ChildEnd>;
  readonly #ports: ChildPorts;
  readonly #splitter = new LineSplitter();
  #outbox: ServerLine[] = [];
  #isFeeding = false;
  #isClosing = false;
  #isBroken = false;
  #lastIsBare = false;
  #isOver = false;
  #chunks = 0;
  #isFull = false;
  #cancelStop: (() => void) | undefined;

  /** Takes over a process that has just been started. */
  constructor(server: ServerProcess, ports: ChildPorts) {
    this.server = server;
    this.#ports = ports;
    this.gone = this.#end(this.#read());
  }

  /** Bytes that the server has not taken yet. */
  get waitingBytes(): number {
    return this.#outbox.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  /** Sends a line. */
  send(line: ServerLine): void {
    this.#outbox.push(line);
    if (!this.#isFeeding) void this.#feed();
  }

  /** Closes the server's input after what was sent; `isBare` when the last line has no newline. */
  closeInput(isBare = false): void {
    this.#isClosing = true;
    this.#lastIsBare = isBare;
    if (!this.#isFeeding) this.server.closeInput();
  }

  /** Ends the process: asks it to, or kills it. */
  stop(isKill: boolean): void {
    if (isKill) return this.server.signal("SIGKILL");
    this.closeInput();
    this.#terminateLater();
  }

  #terminateLater(): void {
    const { timers } = this.#ports;
    this.#cancelStop?.();
    this.#cancelStop = timers.later(TO_TERM_MS, () => {
      this.server.signal("SIGTERM");
      this.#cancelStop = timers.later(TO_KILL_MS, () => this.server.signal("SIGKILL"));
    });
  }

  async #feed(): Promise<void> {
    this.#isFeeding = true;
    for (;;) {
      // What is still here when the server has exited was not sent.
      const line = this.#isBroken ? undefined : this.#outbox.shift();
      if (line === undefined) break;
      const isBare = this.#lastIsBare && this.#outbox.length === 0;
      try {
        await this.server.input.write(isBare ? line.bytes : concat([line.bytes, NEWLINE]));
      } catch (error) {
        this.#isBroken = true;
        // A pipe takes a short line whole or not at all; of a longer one it may have got a part.
        const isUnsent = error instanceof Deno.errors.BrokenPipe &&
          line.bytes.length < ATOMIC_BYTES;
        if (isUnsent) this.#outbox.unshift(line);
      }
      this.#ports.onTaken();
    }
    this.#isFeeding = false;
    if (this.#isClosing) this.server.closeInput();
  }

  async #read(): Promise<void> {
    for (;;) {
      const chunk = await this.server.output.read();
      if (chunk === null || this.#isOver) return;
      this.#chunks++;
      this.#splitter.push(chunk, (line) => this.#ports.onLine(line.slice()));
      this.#isFull = true;
      await this.#ports.room();
      this.#isFull = false;
    }
  }

  async #end(reading: Promise<void>): Promise<ChildEnd> {
    // A server that has closed its output answers no more.
    const isRunning = { yes: true };
    reading.then(() => {
      if (isRunning.yes) this.#terminateLater();
    });
    const code = await this.server.exit;
    isRunning.yes = false;
    this.#cancelStop?.();
    this.#isBroken = true;
    await this.#quiet(reading);
    this.#isOver = true;
    this.server.closeInput(); // Our end of the pipe.
    this.server.release();
    const rest = this.#splitter.end()?.slice();
    const unsent = this.#outbox;
    this.#outbox = [];
    return { code, unsent, rest };
  }

  /** Settles when the output has ended, or nothing has come for a while. */
  async #quiet(reading: Promise<void>): Promise<void> {
    let isRead = false;
    const read = reading.then(() => isRead = true);
    while (!isRead) {
      const before = this.#chunks;
      let cancel: (() => void) | undefined;
      const late = new Promise<void>((resolve) => {
        cancel = this.#ports.timers.later(QUIET_MS, resolve);
      });
      await Promise.race([read, late]);
      cancel?.();
      if (this.#chunks === before && !this.#isFull) return;
    }
  }
}
