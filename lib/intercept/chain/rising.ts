/**
 * Takes the lines of the server up to the host, and keeps those that an interceptor holds.
 *
 * @module
 */

import { reasonOf } from "../../text/reason.ts";
import type { NoteCrossing } from "./interceptor.ts";
import type { RequestPairs } from "./request_pairs.ts";
import type { SeenLine, SeenMessage } from "./seen.ts";
import type { Risen, Walk } from "./walk.ts";

/** Where lines go that have come up. */
export interface RisingPorts {
  readonly walk: Walk;
  readonly pairing: RequestPairs;
  /** Takes a line; `isReplaced` if an interceptor changed it. */
  readonly out: (line: Uint8Array, isReplaced: boolean) => void;
  readonly say: (line: string) => void;
}

/** Whether the host has given up the request of an answer that is held. */
interface HeldAnswer {
  isCancelled: boolean;
}

/** The lines of one server. */
export class Rising {
  readonly #ports: RisingPorts;
  readonly #held = new Map<string, HeldAnswer>();
  readonly #holding = new Set<Promise<void>>();

  /** Starts with none. */
  constructor(ports: RisingPorts) {
    this.#ports = ports;
  }

  /** Takes a line up. */
  take(line: SeenLine): void {
    const { pairing } = this.#ports;
    const { messages } = line;
    // An answer that is held takes its whole line along: the rest of a batch comes first.
    const calls = line.isBatch ? messages.filter((message) => pairing.answersCall(message)) : [];
    const others = messages.filter((message) => !calls.includes(message));
    this.#rise(line, [...others, ...calls].map(({ index }) => index), false);
  }

  /** Whether the answer to the request with this key is held. */
  holds(key: string): boolean {
    return this.#held.has(key);
  }

  /** The host gives a request up: an answer that is held does not go out. */
  cancel(key: string): void {
    const held = this.#held.get(key);
    if (held !== undefined) held.isCancelled = true;
  }

  /** Settles when nothing is held. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#holding);
  }

  #rise(line: SeenLine, order: readonly number[], wasReplaced: boolean): void {
    const { walk, out } = this.#ports;
    let now = line;
    let isReplaced = wasReplaced;
    for (const [n, index] of order.entries()) {
      const message = now.messages[index];
      if (message === undefined) continue;
      const risen = walk.up(this.#crossing(message));
      if (risen instanceof Promise) {
        this.#hold(
          message.key,
          risen,
          ({ message, isReplaced: isNew }) =>
            this.#rise(message.line, order.slice(n + 1), isReplaced || isNew),
        );
        return;
      }
      now = risen.message.line;
      isReplaced ||= risen.isReplaced;
    }
    out(now.bytes, isReplaced);
  }

  #hold(key: string, risen: Promise<Risen>, goOn: (risen: Risen) => void): void {
    const held: HeldAnswer = { isCancelled: false };
    this.#held.set(key, held);
    const holding = risen.then((risen) => {
      this.#held.delete(key);
      // Of a batch the rest still has to come out.
      if (!held.isCancelled || risen.message.line.isBatch) goOn(risen);
    }).finally(() => this.#holding.delete(holding));
    this.#holding.add(holding);
  }

  #crossing(message: SeenMessage): Parameters<Walk["up"]>[0] {
    const note: NoteCrossing = { kind: "note", from: "server", message };
    if (message.kind !== "response") return note;
    try {
      return this.#ports.pairing.answered(message);
    } catch (error) {
      this.#ports.say(`an answer passes as it is: ${reasonOf(error)}`);
      return note;
    }
  }
}
