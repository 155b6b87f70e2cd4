/**
 * Lines of the host that wait for the next server: requests that are made again,
 * and what came while none ran.
 *
 * @module
 */

import { idKey, type Message, readJsonRpc, writtenId } from "../../wire/message.ts";
import { isReadable } from "../../wire/reading.ts";
import type { OpenRequest } from "./open_requests.ts";

/** What waits, in order. */
export class WaitingLines {
  #again: OpenRequest[] = [];
  #held: Uint8Array[] = [];
  #bytes = 0;

  /** Bytes of the lines that no server has seen. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of requests that are made again. */
  get again(): number {
    return this.#again.length;
  }

  /** Number of lines that no server has seen. */
  get held(): number {
    return this.#held.length;
  }

  /** Holds a line. */
  hold(line: Uint8Array): void {
    this.#held.push(line);
    this.#bytes += line.length;
  }

  /** Holds lines before all others. */
  holdFirst(lines: readonly Uint8Array[]): void {
    this.#held = [...lines, ...this.#held];
    for (const { length } of lines) this.#bytes += length;
  }

  /** Makes requests again, before any line. */
  repeat(requests: readonly OpenRequest[]): void {
    this.#again.push(...requests);
  }

  /** Takes out the request with an id as it was written; whether it was there. */
  cancel(id: string): boolean {
    const key = idKey(id);
    const again = this.#again.filter((request) => idKey(request.id) !== key);
    const held = this.#held.filter((line) => {
      const messages = lineMessages(line);
      return messages.length !== 1 || !requestIds(line).some((one) => idKey(one) === key);
    });
    const isFound = again.length < this.#again.length || held.length < this.#held.length;
    this.#again = again;
    this.#held = held;
    this.#bytes = held.reduce((sum, { length }) => sum + length, 0);
    return isFound;
  }

  /** Everything that waits; nothing waits after. */
  take(): { readonly again: readonly OpenRequest[]; readonly held: readonly Uint8Array[] } {
    const taken = { again: this.#again, held: this.#held };
    this.#again = [];
    this.#held = [];
    this.#bytes = 0;
    return taken;
  }
}

/** The messages of a line; none of one that cannot be read. */
export function lineMessages(line: Uint8Array): readonly Message[] {
  return isReadable(line) ? readJsonRpc(line).messages : [];
}

/** The ids of the requests in a line, as written. */
export function requestIds(line: Uint8Array): string[] {
  return lineMessages(line).flatMap((message) =>
    message.kind === "request" ? writtenId(message) ?? [] : []
  );
}
