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

import { isJson, textAt, valueAt } from "../wire/json_spans.ts";
import { idKey, idText, type Message, readMessages } from "../wire/message.ts";
import { withoutMessages } from "./added_tool.ts";
import type { ActivePorts } from "./parts.ts";
import { type ActiveParts, SessionActs, type Taken } from "./session_acts.ts";

/** One session. */
export class ActiveSession {
  readonly #ports: ActivePorts;
  readonly #acts: SessionActs;

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
    if (!isJson(line)) {
      this.#ports.log?.client(line);
      return this.#ports.toServer(line);
    }
    const { messages } = readMessages(line);
    const isCall = messages.some(({ kind, method }) =>
      kind === "request" && method === "tools/call"
    );
    if (isCall) this.#acts.listen(); // What was said before a call stands before it in the log.
    this.#ports.log?.client(line);
    const taken = messages.map((message) => this.#fromHost(message));
    if (!taken.some((outcome) => outcome instanceof Promise)) {
      return this.#send(line, messages, taken as Taken[]);
    }
    const kept = line.slice();
    const same = readMessages(kept).messages;
    Promise.all(taken).then((outcomes) => this.#send(kept, same, outcomes));
  }

  /** Takes a line of the server, without its newline. */
  fromServer(line: Uint8Array): void {
    this.#ports.log?.server(line);
    if (!isJson(line)) return this.#ports.toHost(line);
    let { messages } = readMessages(line);
    const ours = new Set(messages.filter((m) => m.kind === "response" && this.#acts.own.settle(m)));
    let out = withoutMessages(line, messages, ours);
    if (out === undefined) return;
    if (out !== line) messages = readMessages(out).messages;
    for (let i = 0; i < messages.length; i++) {
      const message = messages[i];
      if (message?.method === "notifications/tools/list_changed") this.#acts.toolsChanged();
      if (message?.kind !== "response") continue;
      const answered = this.#acts.response(message);
      if (answered === "held") return;
      if (answered === "pass") continue;
      out = answered;
      messages = readMessages(out).messages;
    }
    this.#ports.toHost(out);
  }

  /** Records what a side had begun and not ended when its stream did. */
  rest(from: "client" | "server", bytes: Uint8Array): void {
    this.#ports.log?.[from](bytes);
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

  /** What was done, in a line for the user; undefined when there is nothing to say. */
  summary(): string | undefined {
    return this.#acts.summary();
  }

  #fromHost(message: Message): Taken | Promise<Taken> {
    if (message.kind === "request") {
      const free = this.#acts.own.whenFree(idText(message) ?? "");
      // The server would have two requests of one id.
      return free === undefined ? this.#acts.request(message) : this.#after(free, message);
    }
    if (message.method !== "notifications/cancelled") return "forward";
    const id = valueAt(message.bytes, message.params, "requestId");
    const key = id === undefined ? undefined : idKey(textAt(message.bytes, id));
    return key !== undefined && this.#acts.cancel(key) ? "answered" : "forward";
  }

  async #after(free: Promise<void>, { bytes, span }: Message): Promise<Taken> {
    const own = bytes.slice(span.start, span.end);
    await free;
    const [message] = readMessages(own).messages;
    return message === undefined ? "forward" : await this.#acts.request(message);
  }

  #send(line: Uint8Array, messages: readonly Message[], taken: readonly Taken[]): void {
    const cut = new Set(messages.filter((_, i) => taken[i] === "answered"));
    const left = withoutMessages(line, messages, cut);
    if (left !== undefined) this.#ports.toServer(left);
  }
}
