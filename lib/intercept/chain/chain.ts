/**
 * The chain of interceptors of one session: lines of both sides come in, and go out as they
 * came unless an interceptor acts on them.
 *
 * A host line passes the interceptors from the host to the server, a server line the other
 * way. The chain pairs each answer with its request, keeps the proxy's own requests apart,
 * and records every line. Lines go out in the order they were read, except those that an
 * interceptor holds. A line's bytes are used during the call only, and copied where they are
 * kept.
 *
 * @module
 */

import type { JsonObject } from "../../json/json.ts";
import { idKey } from "../../wire/message.ts";
import { isBlank } from "../../wire/reading.ts";
import { withoutMessages } from "./advertise.ts";
import type { ChainPorts } from "./chain_ports.ts";
import { Descending } from "./descending.ts";
import type { ChainCall, InterceptorFactory, InterceptorPorts, Said } from "./interceptor.ts";
import { OwnCalls } from "./own_calls.ts";
import { OwnRequests } from "./own_requests.ts";
import { RequestPairs } from "./request_pairs.ts";
import { Rising } from "./rising.ts";
import { seeLine } from "./seen.ts";
import { Walk } from "./walk.ts";

/** How long the end of a session waits for answers that interceptors promised. */
const LAST_ANSWERS_MS = 2_000;

/** The chain of one session. */
export class Chain {
  readonly #ports: ChainPorts;
  readonly #walk: Walk;
  readonly #own: OwnRequests;
  readonly #ownCalls: OwnCalls;
  readonly #pairing: RequestPairs;
  readonly #rising: Rising;
  readonly #descending: Descending;

  /** Makes the interceptors of a session, nearest to the host first. */
  constructor(ports: ChainPorts, factories: readonly InterceptorFactory[]) {
    this.#ports = ports;
    this.#own = new OwnRequests({
      later: ports.later,
      send: (line) => {
        ports.log?.proxy(line);
        (ports.toServerOwn ?? ports.toServer)(line);
      },
      ...(ports.nextNumber === undefined ? {} : { nextNumber: ports.nextNumber }),
    });
    this.#pairing = new RequestPairs(ports);
    const names: string[] = [];
    const links = factories.map((make, index) => {
      const link = make(this.#portsOf({ index, name: () => names[index] ?? "" }));
      names[index] = link.name;
      return link;
    });
    this.#walk = new Walk(links, ports.say);
    this.#ownCalls = new OwnCalls(this.#own, this.#walk);
    this.#rising = new Rising({
      walk: this.#walk,
      pairing: this.#pairing,
      out: (line, isReplaced) => isReplaced ? this.#answer(line) : ports.toHost(line),
      say: ports.say,
    });
    this.#descending = new Descending({
      walk: this.#walk,
      pairing: this.#pairing,
      rising: this.#rising,
      own: this.#own,
      ownCalls: this.#ownCalls,
      log: ports.log,
      toServer: ports.toServer,
      answer: (line) => this.#answer(line),
      say: ports.say,
    });
  }

  /** An id for a request of the transport's own, as written; no other request has it. */
  ownId(): string {
    return this.#own.nextId();
  }

  /** Takes a line of the host, without its newline. */
  fromHost(line: Uint8Array): void {
    this.#descending.take(line);
  }

  /** Takes a line of the server, without its newline. */
  fromServer(line: Uint8Array): void {
    let seen = seeLine(line);
    this.#ports.log?.server(line, seen !== undefined && !seen.isOdd);
    if (seen === undefined) return this.#unreadable(line);
    const { messages } = seen;
    const own = messages.filter((m) =>
      m.kind === "response"
        ? this.#own.settle(m) || this.#descending.wasWithdrawn(m.key)
        : this.#own.isProgress(m)
    );
    if (own.length > 0) {
      const left = withoutMessages(line, messages, new Set(own));
      seen = left && seeLine(left);
      if (seen === undefined) return;
    }
    this.#rising.take(seen);
  }

  /** Settles when no line of the host waits for a verdict. */
  async judged(): Promise<void> {
    await this.#descending.judged();
  }

  /** Settles when every answer that an interceptor promised was given. */
  async answered(): Promise<void> {
    await this.#descending.answered();
  }

  /** Whether an answer to the host's request with this key will still come from here. */
  holds(key: string): boolean {
    return this.#descending.holds(key) || this.#rising.holds(key);
  }

  /** A request of the proxy's own, its id as written, will not be answered any more. */
  lost(id: string): void {
    this.#own.lose(id);
  }

  /** The server says something that goes to no host in particular. */
  overhear(line: Uint8Array): void {
    for (const message of seeLine(line)?.messages ?? []) {
      if (message.kind !== "response") this.#walk.up({ kind: "note", from: "server", message });
    }
  }

  /** The host has given a request up without a message, by closing its stream. */
  abandon(id: string): void {
    this.#descending.cancel(idKey(id));
  }

  /**
   * Nothing can be asked any more: what is held goes out. Settles when nothing is held, and
   * promised answers were given or had two seconds for it.
   */
  async close(): Promise<void> {
    this.#walk.tell((link) => link.close?.());
    this.#own.close();
    this.#pairing.close();
    await this.#rising.idle();
    if (!this.#descending.owesAnswers) return;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const off = this.#ports.later(LAST_ANSWERS_MS, resolve);
    await Promise.race([this.#descending.answered(), late]);
    off();
  }

  /** The session is over, after {@linkcode close}. */
  async end(): Promise<void> {
    await this.#ports.onEnd?.();
  }

  /** Whether lines of the server that cannot be read are kept from the host. */
  get isStrict(): boolean {
    return this.#walk.isStrict;
  }

  #unreadable(line: Uint8Array): void {
    if (!this.isStrict || isBlank(line)) return this.#ports.toHost(line);
    this.#ports.say(
      "a line of the server cannot be read, so it was not checked and went no further",
    );
  }

  #portsOf(
    { index, name }: { readonly index: number; readonly name: () => string },
  ): InterceptorPorts {
    const { later, monotonicMs, say } = this.#ports;
    const place = () => ({ index, name: name() });
    return {
      call: (tool, args, how) => this.#ownCalls.call(place(), { tool, args, how }),
      ask: (method, params, ms) => this.#ownCalls.ask(place(), { method, params, ms }),
      withdraw: (call, text) => this.#withdraw(call, text),
      notify: (method, params) => this.#notify(method, params),
      hear: (said) => this.#hear(said),
      wake: () => this.#walk.tell((link) => link.wake?.()),
      turn: this.#pairing.turn,
      later,
      monotonicMs,
      say,
    };
  }

  #withdraw(call: ChainCall, text: string): void {
    if (!this.#descending.withdraw(call, text)) return;
    const notice = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":` +
      `{"requestId":${call.id},"reason":"the session has ended"}}`;
    const line = new TextEncoder().encode(notice);
    this.#ports.log?.proxy(line);
    (this.#ports.toServerOwn ?? this.#ports.toServer)(line);
  }

  #notify(method: string, params: JsonObject): void {
    const { toHostNote, log } = this.#ports;
    if (toHostNote === undefined) return;
    const line = new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", method, params }));
    log?.proxy(line);
    toHostNote(line);
  }

  #hear({ role, text, line }: Said): void {
    this.#ports.log?.context(line);
    this.#pairing.heard(role);
    this.#walk.tell((link) => link.heard?.(role, text));
  }

  /** Answers the host ourselves. */
  #answer(line: Uint8Array): void {
    this.#ports.log?.proxy(line);
    this.#ports.toHost(line);
  }
}
