/**
 * A session that is acted on: the lines of both sides come in, and go out as
 * they came unless something acts on them.
 *
 * One line's path: a line of the host is looked at for tool calls, and the gate
 * may answer one in the server's place. A line of the server is looked at for
 * answers: to a request of ours, which nobody else gets, or to a call of the
 * agent, behind which the flow runs. All else passes at once.
 *
 * Lines are handed over in the order they were read. A line's bytes are used
 * during the call only, and copied where they are kept.
 *
 * @module
 */

import { spanText, valueAt } from "../json/json_spans.ts";
import { idKey, type Message } from "../wire/message.ts";
import { withoutMessages } from "./added_tool.ts";
import type { ActivePorts } from "./parts.ts";
import type { FlowTally } from "./flow_tally.ts";
import { seeLine, type SeenMessage } from "./seen.ts";
import { type ActiveParts, SessionActs, type Taken } from "./session_acts.ts";
import { reasonOf } from "../text/reason.ts";

/** One session. */
export class ActiveSession {
  readonly #ports: ActivePorts;
  readonly #acts: SessionActs;
  /** Requests of the host that wait until an id is free, and whether it has given them up. */
  readonly #delayed = new Map<string, { isCancelled: boolean }>();

  /** Takes a session over from its first line on. */
  constructor(ports: ActivePorts, parts: ActiveParts) {
    this.#ports = ports;
    this.#acts = new SessionActs(ports, parts);
  }

  /** An id for a request of the transport's own, as written; no other request has it. */
  ownId(): string {
    return this.#acts.own.nextId();
  }

  /** Takes a line of the host, without its newline. */
  fromHost(line: Uint8Array): void {
    const seen = seeLine(line);
    if (seen === undefined) {
      this.#ports.log?.client(line, false);
      return this.#ports.toServer(line);
    }
    const { messages } = seen;
    const isCall = messages.some(({ kind, method }) =>
      kind === "request" && method === "tools/call"
    );
    // What was said before a call stands before it in the log.
    if (isCall) this.#try(() => this.#acts.listen(), undefined);
    this.#ports.log?.client(line, true);
    const taken = messages.map((message) => {
      const outcome = this.#try(() => this.#fromHost(message), "forward");
      return outcome instanceof Promise
        ? outcome.catch((error) => this.#failed<Taken>(error, "forward"))
        : outcome;
    });
    if (!taken.some((outcome) => outcome instanceof Promise)) {
      return this.#send(line, messages, taken as Taken[]);
    }
    const kept = seen.kept();
    Promise.all(taken).then((outcomes) => this.#send(kept.bytes, kept.messages, outcomes));
  }

  /** Takes a line of the server, without its newline. */
  fromServer(line: Uint8Array): void {
    const seen = seeLine(line);
    this.#ports.log?.server(line, seen !== undefined);
    if (seen === undefined) return this.#ports.toHost(line);
    let { messages } = seen;
    const ours = new Set(messages.filter((m) => m.kind === "response" && this.#acts.own.settle(m)));
    let out = withoutMessages(line, messages, ours);
    if (out === undefined) return;
    if (out !== line) messages = seeLine(out)?.messages ?? [];
    if (messages.some(({ method }) => method === "notifications/tools/list_changed")) {
      this.#acts.toolsChanged();
    }
    // What is held takes its whole line along: the rest of a batch is looked at before that.
    let isHeld = false;
    for (const isCall of [false, true]) {
      for (let i = 0; i < messages.length; i++) {
        const message = messages[i];
        if (message?.kind !== "response" || this.#acts.answersCall(message) !== isCall) continue;
        const answered = this.#try(() => this.#acts.response(message), "pass");
        if (answered === "held") isHeld = true;
        else if (answered !== "pass") {
          out = answered;
          messages = seeLine(out)?.messages ?? [];
        }
      }
    }
    if (!isHeld) this.#ports.toHost(out);
  }

  /** Records what a side had begun and not ended when its stream did. */
  rest(from: "client" | "server", bytes: Uint8Array): void {
    this.#ports.log?.[from](bytes, false);
  }

  /** Whether an answer to the host's request with this key will still come from here. */
  holds(key: string): boolean {
    return this.#acts.holds(key);
  }

  /** A request of ours, its id as written, will not be answered any more. */
  lost(id: string): void {
    this.#acts.own.lose(id);
  }

  /** The server says that its tools have changed, and to nobody in particular. */
  toolsChanged(): void {
    this.#acts.toolsChanged();
  }

  /** The host has given a request up without a word, by closing its stream. */
  abandon(id: string): void {
    this.#acts.cancel(idKey(id));
  }

  /** Nothing can be asked any more: what is held goes out. Settles when nothing is held. */
  close(): Promise<void> {
    return this.#acts.close();
  }

  /** What the flow did; undefined where there is none. */
  get tally(): FlowTally | undefined {
    return this.#acts.tally;
  }

  /** A fault of ours costs what was to be done about a message, never the message. */
  #try<T>(act: () => T, otherwise: T): T {
    try {
      return act();
    } catch (error) {
      return this.#failed(error, otherwise);
    }
  }

  #failed<T>(error: unknown, otherwise: T): T {
    const why = reasonOf(error);
    this.#ports.say(`a message passes without being acted on: ${why}`);
    return otherwise;
  }

  #fromHost(message: SeenMessage): Taken | Promise<Taken> {
    if (message.kind === "request") {
      const free = this.#acts.own.whenFree(message.idAsWritten);
      // The server would have two requests of one id.
      return free === undefined ? this.#acts.request(message) : this.#after(free, message);
    }
    if (message.method !== "notifications/cancelled") return "forward";
    const id = valueAt(message.bytes, message.params, "requestId");
    const key = id === undefined ? undefined : idKey(spanText(message.bytes, id));
    if (key === undefined) return "forward";
    const delayed = this.#delayed.get(key);
    if (delayed === undefined) return this.#acts.cancel(key) ? "answered" : "forward";
    delayed.isCancelled = true; // The server would take it for ours.
    return "answered";
  }

  async #after(free: Promise<void>, asked: SeenMessage): Promise<Taken> {
    const message = asked.kept();
    const { key } = message;
    const waiting = { isCancelled: false };
    this.#delayed.set(key, waiting);
    await free;
    this.#delayed.delete(key);
    if (waiting.isCancelled) return "answered";
    return await this.#acts.request(message);
  }

  #send(line: Uint8Array, messages: readonly Message[], taken: readonly Taken[]): void {
    const cut = new Set(messages.filter((_, i) => taken[i] === "answered"));
    const left = withoutMessages(line, messages, cut);
    if (left !== undefined) this.#ports.toServer(left);
  }
}
