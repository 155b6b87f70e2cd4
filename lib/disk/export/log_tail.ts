/**
 * Reads a log that may still grow, from where it was read last.
 *
 * @module
 */

import type { LogHeader, LogLine } from "../../log/log.ts";
import { isPackedLog } from "../../log/log_names.ts";
import { LogReader } from "../../log/parse_log.ts";
import { unpackedWhole } from "../packed_log.ts";

const CHUNK_BYTES = 262_144;

/** One log that is read again and again. */
export class LogTail {
  readonly #path: string;
  readonly #reader: LogReader;
  #at = 0;
  #isUnpacked = false;

  /** Opens nothing yet; each readable line after the header goes to `onLine`. */
  constructor(path: string, onLine: (line: LogLine, header: LogHeader) => void) {
    this.#path = path;
    this.#reader = new LogReader((line) => {
      const { header } = this.#reader;
      if (header !== undefined) onLine(line, header);
    }, { path });
  }

  /** Reads at most so many bytes of what is new; whether there was any. */
  read(atMost = Infinity): boolean {
    if (isPackedLog(this.#path)) return this.#unpack();
    const chunk = new Uint8Array(CHUNK_BYTES);
    using file = Deno.openSync(this.#path);
    file.seekSync(this.#at, Deno.SeekMode.Start);
    let done = 0;
    while (done < atMost) {
      const n = file.readSync(chunk);
      if (n === null) break;
      this.#reader.push(chunk.subarray(0, n));
      done += n;
    }
    this.#at += done;
    return done > 0;
  }

  /** Whether there is something that was not read. */
  hasMore(): boolean {
    if (isPackedLog(this.#path)) return !this.#isUnpacked;
    return Deno.statSync(this.#path).size > this.#at;
  }

  /** Reads a packed log, which does not grow, in one piece. */
  #unpack(): boolean {
    if (this.#isUnpacked) return false;
    this.#isUnpacked = true;
    this.#reader.push(unpackedWhole(this.#path));
    return true;
  }

  /**
   * Ends the log.
   *
   * @throws {LogSyntaxError} When a line but a cut last one could not be read.
   */
  end(): void {
    this.#reader.end();
  }
}
