/**
 * The lines that cross while a server runs: what is open in either direction,
 * and which lines are between the proxy and the server alone.
 *
 * @module
 */

import { spanText, valueAt } from "../../json/json_spans.ts";
import { SUBSCRIPTION_KEY } from "../../mcp/era.ts";
import { idKey, type Message, writtenId } from "../../wire/message.ts";
import { changedLists } from "./changed_lists.ts";
import { LISTEN, type OpenRequest, OpenRequests, type Settled } from "./open_requests.ts";
import type { RestartEffect, ServerLine } from "./restart_effects.ts";
import { ServerRequests } from "./server_requests.ts";
import { type OwnLine, Spoken } from "./spoken.ts";
import { lineMessages, requestIds } from "./waiting_lines.ts";

/** What crosses one session. */
export class ServerTraffic {
  /** The host's words that a new server hears again. */
  readonly spoken = new Spoken();
  readonly #push: (effect: RestartEffect) => void;
  readonly #open = new OpenRequests();
  readonly #asked = new ServerRequests();
  /** Keys of our own requests, and whether the answer is the greeting's. */
  readonly #own = new Map<string, boolean>();
  /** Keys of requests that listen, and whose acknowledgement the host has. */
  readonly #acknowledged = new Set<string>();

  /** Hands effects to `push`. */
  constructor(push: (effect: RestartEffect) => void) {
    this.#push = push;
  }

  /** Whether no request waits for an answer. */
  get isIdle(): boolean {
    return this.#open.isIdle;
  }

  /** Sends a line of the host. */
  send(bytes: Uint8Array): void {
    const messages = lineMessages(bytes);
    for (const message of messages) {
      this.spoken.host(message, bytes);
      if (message.kind === "request") {
        this.#open.add(message, messages.length === 1 ? bytes : undefined);
      }
    }
    this.#toServer({ bytes, isOwn: false });
  }

  /** Makes a request again. */
  repeat({ message, again }: OpenRequest): void {
    this.#open.add(message, again);
    this.#toServer({ bytes: again ?? message.bytes, isOwn: false });
  }

  /** Sends a request of ours. */
  sendOwn({ key, line }: OwnLine, isGreeting: boolean): void {
    this.#own.set(key, isGreeting);
    this.#tell(line);
  }

  /** Sends what the host has set, to a server that has been greeted. */
  restore(): void {
    const { initialized } = this.spoken;
    if (initialized !== undefined) this.#tell(initialized);
    for (const own of this.spoken.restoring()) this.sendOwn(own, false);
  }

  /** Passes an answer of the host to the server that asked, if `isThere` one. */
  hostAnswer(message: Message, line: Uint8Array, isThere: boolean): void {
    const bytes = this.#asked.answered(message, line);
    if (bytes !== undefined && isThere) this.#toServer({ bytes, isOwn: false });
  }

  /** The host expects no answer any more: it is not told what becomes of the request. */
  cancelled(id: string): void {
    this.#open.remove(id);
  }

  /** Passes a line of the server; returns the answer to the greeting. */
  server(line: Uint8Array): Message | undefined {
    const messages = lineMessages(line);
    const [message] = messages;
    if (messages.length === 1 && message !== undefined) {
      const id = message.kind === "response" ? writtenId(message) : undefined;
      const isGreeting = id === undefined ? undefined : this.#own.get(idKey(id));
      if (id !== undefined && isGreeting !== undefined) {
        this.#own.delete(idKey(id));
        this.#push({ kind: "record", from: "server", line });
        return isGreeting ? message : undefined;
      }
      if (this.#isKnown(message)) {
        this.#push({ kind: "record", from: "server", line });
        return undefined;
      }
      this.toHost(this.#translated(message, line), false);
    } else {
      this.toHost(line, false);
    }
    messages.forEach((one) => this.#answered(one));
    return undefined;
  }

  /**
   * The server has ended.
   *
   * @param unsent The lines of which it has not got a byte.
   * @param isPlanned Whether it was ended for a change of its files.
   * @returns What becomes of the open requests, and the host's lines that it has not got.
   */
  ended(
    unsent: readonly ServerLine[],
    isPlanned: boolean,
  ): Settled & { readonly kept: readonly Uint8Array[] } {
    this.#own.clear();
    const kept = unsent.filter(({ isOwn }) => !isOwn).map(({ bytes }) => bytes);
    for (const bytes of kept) {
      this.spoken.unsent(bytes);
      for (const id of requestIds(bytes)) this.#open.remove(id);
    }
    return { ...this.#open.settle(isPlanned), kept };
  }

  /** Cancels toward the host what the server had asked. */
  cancelAsked(): void {
    this.#asked.ended().forEach((line) => this.toHost(line, true));
  }

  /** Tells the host that lists may have changed. */
  tellChanges(): void {
    const lines = changedLists(this.spoken.offer, this.#open.listening);
    lines.forEach((line) => this.toHost(line, true));
  }

  /** Sends a line to the host. */
  toHost(line: Uint8Array, isOwn: boolean): void {
    this.#push({ kind: "toHost", line, isOwn });
  }

  #answered(message: Message): void {
    const id = message.kind === "response" ? writtenId(message) : undefined;
    if (id === undefined) return;
    this.spoken.answered(message);
    if (this.#open.answered(message)?.method === LISTEN) this.#acknowledged.delete(idKey(id));
  }

  /** Whether the host has this acknowledgement already, of the first time it subscribed. */
  #isKnown({ method, bytes, params }: Message): boolean {
    if (method !== "notifications/subscriptions/acknowledged") return false;
    const span = valueAt(bytes, params, "_meta", SUBSCRIPTION_KEY);
    if (span === undefined) return false;
    const key = idKey(spanText(bytes, span));
    if (this.#acknowledged.has(key)) return true;
    this.#acknowledged.add(key);
    return false;
  }

  #translated(message: Message, line: Uint8Array): Uint8Array {
    if (message.kind === "request") return this.#asked.asked(message, line);
    if (message.method === "notifications/cancelled") return this.#asked.cancelled(message, line);
    return line;
  }

  #tell(line: Uint8Array): void {
    this.#push({ kind: "record", from: "proxy", line });
    this.#toServer({ bytes: line, isOwn: true });
  }

  #toServer(line: ServerLine): void {
    this.#push({ kind: "toServer", line });
  }
}
