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

import { textAt } from "../../json/json.ts";
import { spanText, valueAt } from "../../json/json_spans.ts";
import { VERSION_KEY } from "../../mcp/era.ts";
import { reasonOf } from "../../text/reason.ts";
import { idKey } from "../../wire/message.ts";
import { claimedId, isBlank } from "../../wire/reading.ts";
import { errorResponse, INTERNAL_ERROR } from "../../wire/rpc_error.ts";
import { withoutMessages } from "./advertise.ts";
import { ambiguity } from "./ambiguity.ts";
import { resultLine } from "./answers.ts";
import type { ChainPorts } from "./chain_ports.ts";
import type {
  InterceptorFactory,
  InterceptorPorts,
  RequestCrossing,
  Said,
  TextAnswer,
  Verdict,
} from "./interceptor.ts";
import { OwnCalls } from "./own_calls.ts";
import { OwnRequests } from "./own_requests.ts";
import { RequestPairs } from "./request_pairs.ts";
import { Rising } from "./rising.ts";
import { seeLine, type SeenLine, type SeenMessage } from "./seen.ts";
import { Walk } from "./walk.ts";

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/** What becomes of a message of the host. */
type Taken = "forward" | "answered";

/** A message that an interceptor holds. */
interface Held {
  isCancelled: boolean;
}

/** The chain of one session. */
export class Chain {
  readonly #ports: ChainPorts;
  readonly #walk: Walk;
  readonly #own: OwnRequests;
  readonly #ownCalls: OwnCalls;
  readonly #pairing: RequestPairs;
  /** Requests that wait until an id is free; the server has not seen them. */
  readonly #delayed = new Map<string, Held>();
  /** Requests that wait at an interceptor, or are answered by one; the server has not seen them. */
  readonly #inside = new Map<string, Held>();
  readonly #rising: Rising;
  /** Lines of the host that wait for a verdict. */
  readonly #judging = new Set<Promise<void>>();

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
    this.#pairing = new RequestPairs(ports.later);
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
  }

  /** An id for a request of the transport's own, as written; no other request has it. */
  ownId(): string {
    return this.#own.nextId();
  }

  /** Takes a line of the host, without its newline. */
  fromHost(line: Uint8Array): void {
    const seen = seeLine(line);
    if (seen === undefined) return this.#unreadable(line);
    const { messages } = seen;
    // What was said before a call stands before it in the log.
    if (messages.some(isCall)) this.#walk.tell((link) => link.wake?.());
    this.#ports.log?.client(line, !seen.isOdd);
    const taken = messages.map((message) => this.#tried(message));
    if (!taken.some((outcome) => outcome instanceof Promise)) {
      return this.#send(seen, taken as Taken[]);
    }
    const kept = seen.kept();
    const sent = Promise.all(taken).then((outcomes) => this.#send(kept, outcomes));
    this.#judging.add(sent);
    sent.finally(() => this.#judging.delete(sent));
  }

  /** Takes a line of the server, without its newline. */
  fromServer(line: Uint8Array): void {
    let seen = seeLine(line);
    this.#ports.log?.server(line, seen !== undefined && !seen.isOdd);
    if (seen === undefined) return this.#ports.toHost(line);
    const { messages } = seen;
    const own = messages.filter((m) =>
      m.kind === "response" ? this.#own.settle(m) : this.#own.isProgress(m)
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
    await Promise.allSettled(this.#judging);
  }

  /** Whether an answer to the host's request with this key will still come from here. */
  holds(key: string): boolean {
    return this.#inside.has(key) || this.#rising.holds(key);
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
    this.#cancel(idKey(id));
  }

  /** Nothing can be asked any more: what is held goes out. Settles when nothing is held. */
  async close(): Promise<void> {
    this.#walk.tell((link) => link.close?.());
    this.#own.close();
    this.#pairing.close();
    await this.#rising.idle();
  }

  /** The session is over, after {@linkcode close}. */
  async end(): Promise<void> {
    await this.#ports.onEnd?.();
  }

  #portsOf(
    { index, name }: { readonly index: number; readonly name: () => string },
  ): InterceptorPorts {
    const { later, monotonicMs, say } = this.#ports;
    const place = () => ({ index, name: name() });
    return {
      call: (tool, args, how) => this.#ownCalls.call(place(), { tool, args, how }),
      ask: (method, params, ms) => this.#ownCalls.ask(place(), { method, params, ms }),
      hear: (said) => this.#hear(said),
      wake: () => this.#walk.tell((link) => link.wake?.()),
      turn: this.#pairing.turn,
      later,
      monotonicMs,
      say,
    };
  }

  /** A fault of ours costs what was to be done about a message; a call that may be refused is. */
  #tried(message: SeenMessage): Taken | Promise<Taken> {
    try {
      return this.#fromHost(message);
    } catch (error) {
      const isRefused = this.#walk.mayRefuse && message.kind === "request";
      this.#ports.say(
        `a message ${isRefused ? "is refused" : "passes as it is"}: ${reasonOf(error)}`,
      );
      if (!isRefused) return "forward";
      const why = "Internal error: the request could not be checked, so it was not sent";
      this.#refuse(message.idAsWritten, { code: INTERNAL_ERROR, why });
      return "answered";
    }
  }

  #hear({ role, text, line }: Said): void {
    this.#ports.log?.context(line);
    this.#pairing.heard(role);
    this.#walk.tell((link) => link.heard?.(role, text));
  }

  /** A line of the host that no server should be able to read, either. */
  #unreadable(line: Uint8Array): void {
    this.#ports.log?.client(line, false);
    if (isBlank(line) || !this.#walk.mayRefuse) return this.#ports.toServer(line);
    this.#refuse(claimedId(line), {
      code: PARSE_ERROR,
      why: "Parse error: the line cannot be read, so it could not be checked and was not sent",
    });
  }

  /** Answers what goes no further with an error, if it has an id. */
  #refuse(id: string | undefined, { code, why }: { readonly code: number; readonly why: string }) {
    if (id === undefined) this.#ports.say(`a message of the host was not sent: ${why}`);
    else this.#answer(errorResponse(id, code, why));
  }

  #fromHost(message: SeenMessage): Taken | Promise<Taken> {
    const unclear = this.#walk.mayRefuse ? ambiguity(message) : undefined;
    if (unclear !== undefined) {
      const why = `Invalid Request: ${unclear}, so it could not be checked and was not sent`;
      this.#refuse(message.id && message.idAsWritten, { code: INVALID_REQUEST, why });
      return "answered";
    }
    if (message.kind === "request") {
      const free = this.#own.whenFree(message.idAsWritten);
      // The server would have two requests of one id.
      return free === undefined ? this.#request(message) : this.#after(free, message);
    }
    if (message.method === "notifications/cancelled") {
      const id = valueAt(message.bytes, message.params, "requestId");
      const key = id === undefined ? undefined : idKey(spanText(message.bytes, id));
      if (key !== undefined && this.#cancel(key)) return "answered"; // Of that id it knows nothing.
      return "forward";
    }
    const verdict = this.#walk.down({ kind: "note", from: "host", message });
    return verdict instanceof Promise ? verdict.then(outcome) : outcome(verdict);
  }

  async #after(free: Promise<void>, asked: SeenMessage): Promise<Taken> {
    const message = asked.kept();
    const { key } = message;
    const delayed = { isCancelled: false };
    this.#delayed.set(key, delayed);
    await free;
    this.#delayed.delete(key);
    return delayed.isCancelled ? "answered" : await this.#request(message);
  }

  #request(message: SeenMessage): Taken | Promise<Taken> {
    const { key, method } = message;
    this.#own.avoid(message.idAsWritten);
    this.#ownCalls.version = textAt(message.value, "params", "_meta", VERSION_KEY);
    const held: Held = { isCancelled: false };
    const crossing: RequestCrossing = {
      kind: "request",
      message,
      call: method === "tools/call" ? this.#pairing.callOf(message) : undefined,
      isCancelled: () => held.isCancelled,
    };
    const verdict = this.#walk.down(crossing);
    if (!(verdict instanceof Promise)) return this.#judged(crossing, verdict, held);
    this.#inside.set(key, held);
    const calls = crossing.call === undefined ? 0 : 1;
    this.#pairing.judging += calls;
    const kept = { ...crossing, message: message.kept() };
    return verdict.then((verdict) => {
      this.#pairing.judging -= calls;
      this.#inside.delete(key);
      return held.isCancelled ? "answered" : this.#judged(kept, verdict, held);
    });
  }

  /** Sends a request on, or has it answered. */
  #judged(crossing: RequestCrossing, verdict: Verdict, held: Held): Taken {
    const { key, idAsWritten: id } = crossing.message;
    if (verdict.kind !== "answer") {
      this.#pairing.sent(crossing);
      this.#walk.tell((link) => link.onSent?.(crossing));
      return "forward";
    }
    const isModern = this.#ownCalls.version !== undefined;
    const answer = (given: TextAnswer) => this.#answer(resultLine(id, given, { isModern }));
    if (!(verdict.answer instanceof Promise)) answer(verdict.answer);
    else {
      this.#inside.set(key, held);
      verdict.answer.then((given) => {
        this.#inside.delete(key);
        if (!held.isCancelled) answer(given);
      });
    }
    return "answered";
  }

  /** The host gives a request up; whether the server has never seen it. */
  #cancel(key: string): boolean {
    const delayed = this.#delayed.get(key);
    if (delayed !== undefined) {
      delayed.isCancelled = true; // The server would take it for ours.
      return true;
    }
    const inside = this.#inside.get(key);
    if (inside !== undefined) inside.isCancelled = true;
    this.#rising.cancel(key);
    const call = this.#pairing.drop(key);
    this.#walk.cancel({ kind: "cancel", key, call });
    return inside !== undefined;
  }

  /** Answers the host ourselves. */
  #answer(line: Uint8Array): void {
    this.#ports.log?.proxy(line);
    this.#ports.toHost(line);
  }

  #send(line: SeenLine, taken: readonly Taken[]): void {
    const cut = new Set(line.messages.filter((_, i) => taken[i] === "answered"));
    const left = withoutMessages(line.bytes, line.messages, cut);
    if (left !== undefined) this.#ports.toServer(left);
  }
}

function isCall({ kind, method }: SeenMessage): boolean {
  return kind === "request" && method === "tools/call";
}

function outcome({ kind }: Verdict): Taken {
  return kind === "answer" ? "answered" : "forward";
}
