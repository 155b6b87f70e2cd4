/**
 * Records the bytes of a session into its log.
 *
 * @module
 */

import { LogFile } from "../disk/log_file.ts";
import type { NewLog } from "../disk/log_folder.ts";
import type { Runtime } from "../ports/runtime.ts";
import { Recorder, type Sender } from "../log/recorder.ts";
import type { RelayTap } from "./relay.ts";
import { reasonOf } from "../text/reason.ts";

/** Longest wait for a slow disk at the end of a session. */
const LOG_CLOSE_MS = 5_000;

const NEWLINE = new Uint8Array([10]);

/** Records a session. A fault of the recorder ends the recording, never the session. */
export class LogTap implements RelayTap {
  readonly #file: LogFile;
  readonly #recorder: Recorder;
  readonly #startMs: number;
  readonly #runtime: Runtime;
  #isOver = false;
  #willFlush = false;

  /** Takes over a new log. */
  constructor(log: NewLog, startMs: number, runtime: Runtime) {
    this.#startMs = startMs;
    this.#runtime = runtime;
    this.#file = new LogFile(log.file, {
      length: log.bytes,
      monotonicMs: runtime.monotonicMs,
      onEnd: (why) => runtime.say(`recording ended, the session goes on: ${why}`),
    });
    this.#recorder = new Recorder(this.#file, {
      onLongLine: (bytes) =>
        runtime.say(
          `a line of ${bytes} bytes is too long to record whole; its start is in the log`,
        ),
    });
  }

  readonly client = (chunk: Uint8Array): void => {
    this.#guarded((tMs) => this.#recorder.chunk("client", chunk, tMs));
  };

  readonly server = (chunk: Uint8Array): void => {
    this.#guarded((tMs) => this.#recorder.chunk("server", chunk, tMs));
  };

  /** Records a line of the proxy: a request to the server, or an answer to the host. */
  proxy(line: Uint8Array): void {
    this.#line("proxy", line);
  }

  /** Records a message of the conversation. */
  context(line: Uint8Array): void {
    this.#line("context", line);
  }

  /** Records a host's line, given without its newline; `isJson` when it is known to be JSON. */
  clientLine(line: Uint8Array, isJson = false): void {
    this.#line("client", line, isJson);
  }

  /** Records a server's line, given without its newline; `isJson` when it is known to be JSON. */
  serverLine(line: Uint8Array, isJson = false): void {
    this.#line("server", line, isJson);
  }

  end(from: "client" | "server"): void {
    this.#guarded((tMs) => this.#recorder.end(from, tMs));
  }

  /** Records unfinished lines and closes the log; a slow disk may delay this by five seconds. */
  async close(): Promise<void> {
    this.end("client");
    this.end("server");
    this.#flush();
    this.#isOver = true; // Later lines belong to no session.
    await this.#file.close(LOG_CLOSE_MS);
  }

  #line(from: Sender, line: Uint8Array, isJson = false): void {
    this.#guarded((tMs) => {
      if (isJson && this.#recorder.jsonLine(from, line, tMs)) return this.#flushSoon();
      this.#recorder.chunk(from, line, tMs);
      this.#recorder.chunk(from, NEWLINE, tMs);
    });
  }

  /** All lines of a turn of the event loop leave in one write, before what is sent then is answered. */
  #flushSoon(): void {
    if (this.#willFlush) return;
    this.#willFlush = true;
    queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    this.#willFlush = false;
    this.#guarded(() => this.#recorder.flush());
  }

  #guarded(record: (tMs: number) => void): void {
    if (this.#isOver) return;
    try {
      record(this.#runtime.monotonicMs() - this.#startMs);
    } catch (error) {
      this.#isOver = true;
      this.#runtime.say(`recording ended, the session goes on: ${reasonOf(error)}`);
    }
  }
}
