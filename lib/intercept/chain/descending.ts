/**
 * Takes the lines of the host down to the server, and keeps those that an interceptor holds.
 *
 * A line is read once, as servers read it, and judged by that reading; its bytes cross as they
 * came. If an interceptor may refuse, a line that cannot be read, or that different servers
 * would read in different ways, is answered with an error and goes no further.
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
import type { ChainLog } from "./chain_ports.ts";
import type { ChainCall, RequestCrossing, TextAnswer, Verdict } from "./interceptor.ts";
import type { OwnCalls } from "./own_calls.ts";
import type { OwnRequests } from "./own_requests.ts";
import type { RequestPairs } from "./request_pairs.ts";
import type { Rising } from "./rising.ts";
import { seeLine, type SeenLine, type SeenMessage } from "./seen.ts";
import type { Walk } from "./walk.ts";

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/** What becomes of a message of the host. */
type Taken = "forward" | "answered";

/** A message that an interceptor holds. */
interface Held {
  isCancelled: boolean;
}

/** What the lines of a host go through. */
export interface DescendingPorts {
  readonly walk: Walk;
  readonly pairing: RequestPairs;
  /** Where answers are held. */
  readonly rising: Pick<Rising, "cancel">;
  readonly own: OwnRequests;
  readonly ownCalls: OwnCalls;
  readonly log: ChainLog | undefined;
  readonly toServer: (line: Uint8Array) => void;
  /** Takes an answer of our own to the host. */
  readonly answer: (line: Uint8Array) => void;
  readonly say: (line: string) => void;
}

/** The lines of one host. */
export class Descending {
  readonly #ports: DescendingPorts;
  /** Requests that wait until an id is free; the server has not seen them. */
  readonly #delayed = new Map<string, Held>();
  /** Requests that wait at an interceptor, or are answered by one; the server has not seen them. */
  readonly #inside = new Map<string, Held>();
  /** Requests that an interceptor has given up: the server may still answer them. */
  readonly #withdrawn = new Set<string>();
  /** Lines that wait for a verdict. */
  readonly #judging = new Set<Promise<void>>();
  /** Answers that interceptors have promised. */
  readonly #promised = new Set<Promise<void>>();

  /** Starts with none. */
  constructor(ports: DescendingPorts) {
    this.#ports = ports;
  }

  /** Takes a line, without its newline. */
  take(line: Uint8Array): void {
    const seen = seeLine(line);
    if (seen === undefined) return this.#unreadable(line);
    const { messages } = seen;
    // What was said before a call stands before it in the log.
    if (messages.some(isCall)) this.#ports.walk.tell((link) => link.wake?.());
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

  /** Settles when no line waits for a verdict. */
  async judged(): Promise<void> {
    await Promise.allSettled(this.#judging);
  }

  /** Whether an answer that an interceptor promised was not given yet. */
  get owesAnswers(): boolean {
    return this.#promised.size > 0;
  }

  /** Settles when every answer that an interceptor promised was given. */
  async answered(): Promise<void> {
    await Promise.allSettled(this.#promised);
  }

  /** Whether the server has not seen the request with this key, and it will be answered. */
  holds(key: string): boolean {
    return this.#inside.has(key);
  }

  /** The host gives a request up; whether the server has never seen it. */
  cancel(key: string): boolean {
    const delayed = this.#delayed.get(key);
    if (delayed !== undefined) {
      delayed.isCancelled = true; // The server would take it for ours.
      return true;
    }
    const inside = this.#inside.get(key);
    if (inside !== undefined) inside.isCancelled = true;
    this.#ports.rising.cancel(key);
    const call = this.#ports.pairing.drop(key);
    this.#ports.walk.cancel({ kind: "cancel", key, call });
    return inside !== undefined;
  }

  /**
   * An interceptor gives a call up that the server has: the host gets an error.
   *
   * @returns Whether it was under way.
   */
  withdraw({ id }: ChainCall, text: string): boolean {
    const key = idKey(id);
    const { pairing, rising, walk, ownCalls, answer } = this.#ports;
    const call = pairing.drop(key);
    if (call === undefined) return false;
    rising.cancel(key);
    this.#withdrawn.add(key);
    walk.cancel({ kind: "cancel", key, call });
    const isModern = ownCalls.version !== undefined;
    answer(resultLine(id, { text, isError: true }, { isModern }));
    return true;
  }

  /** Whether an answer to the request with this key goes no further, since an interceptor gave it up. */
  wasWithdrawn(key: string): boolean {
    return this.#withdrawn.delete(key);
  }

  /** A line of the host that no server should be able to read, either. */
  #unreadable(line: Uint8Array): void {
    this.#ports.log?.client(line, false);
    if (isBlank(line) || !this.#ports.walk.mayRefuse) return this.#ports.toServer(line);
    this.#refuse(claimedId(line), {
      code: PARSE_ERROR,
      why: "Parse error: the line cannot be read, so it could not be checked and was not sent",
    });
  }

  /** Answers what goes no further with an error, if it has an id. */
  #refuse(id: string | undefined, { code, why }: { readonly code: number; readonly why: string }) {
    if (id === undefined) this.#ports.say(`a message of the host was not sent: ${why}`);
    else this.#ports.answer(errorResponse(id, code, why));
  }

  #fromHost(message: SeenMessage): Taken | Promise<Taken> {
    const unclear = this.#ports.walk.mayRefuse ? ambiguity(message) : undefined;
    if (unclear !== undefined) {
      const why = `Invalid Request: ${unclear}, so it could not be checked and was not sent`;
      this.#refuse(message.id && message.idAsWritten, { code: INVALID_REQUEST, why });
      return "answered";
    }
    if (message.kind === "request") {
      const free = this.#ports.own.whenFree(message.idAsWritten);
      // The server would have two requests of one id.
      return free === undefined ? this.#request(message) : this.#after(free, message);
    }
    if (message.kind === "notification" && message.method?.startsWith("notifications/") === false) {
      // A server could do what it asks for, and answer nothing.
      if (this.#ports.walk.mayRefuse) {
        this.#refuse(undefined, { code: INVALID_REQUEST, why: `${message.method} has no id` });
        return "answered";
      }
    }
    if (message.method === "notifications/cancelled") {
      const id = valueAt(message.bytes, message.params, "requestId");
      const key = id === undefined ? undefined : idKey(spanText(message.bytes, id));
      if (key !== undefined && this.cancel(key)) return "answered"; // Of that id it knows nothing.
      return "forward";
    }
    const verdict = this.#ports.walk.down({ kind: "note", from: "host", message });
    return verdict instanceof Promise ? verdict.then(() => "forward") : "forward";
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
    this.#ports.own.avoid(message.idAsWritten);
    this.#ports.ownCalls.version = textAt(message.value, "params", "_meta", VERSION_KEY);
    const held: Held = { isCancelled: false };
    const crossing: RequestCrossing = {
      kind: "request",
      message,
      call: method === "tools/call" ? this.#ports.pairing.callOf(message) : undefined,
      isCancelled: () => held.isCancelled,
    };
    const verdict = this.#ports.walk.down(crossing);
    if (!(verdict instanceof Promise)) return this.#judged(crossing, verdict, held);
    this.#inside.set(key, held);
    const calls = crossing.call === undefined ? 0 : 1;
    this.#ports.pairing.judging += calls;
    const kept = { ...crossing, message: message.kept() };
    return verdict.then((verdict) => {
      this.#ports.pairing.judging -= calls;
      this.#inside.delete(key);
      return held.isCancelled ? "answered" : this.#judged(kept, verdict, held);
    });
  }

  /** Sends a request on, or has it answered. */
  #judged(crossing: RequestCrossing, verdict: Verdict, held: Held): Taken {
    const { key, idAsWritten: id } = crossing.message;
    if (verdict.kind !== "answer") {
      this.#withdrawn.delete(key); // A host that uses an id again means the new request.
      this.#ports.pairing.sent(crossing);
      this.#ports.walk.tell((link) => link.onSent?.(crossing));
      return "forward";
    }
    const isModern = this.#ports.ownCalls.version !== undefined;
    const isCall = crossing.message.method === "tools/call";
    const answer = (given: TextAnswer) =>
      this.#ports.answer(
        isCall || !given.isError
          ? resultLine(id, given, { isModern })
          : errorResponse(id, INVALID_REQUEST, given.text),
      );
    if (!(verdict.answer instanceof Promise)) answer(verdict.answer);
    else {
      this.#inside.set(key, held);
      const promised = verdict.answer.then((given) => {
        this.#promised.delete(promised);
        this.#inside.delete(key);
        if (!held.isCancelled) answer(given);
      });
      this.#promised.add(promised);
    }
    return "answered";
  }

  /** A fault of ours costs what was to be done about a message; a call that may be refused is. */
  #tried(message: SeenMessage): Taken | Promise<Taken> {
    try {
      return this.#fromHost(message);
    } catch (error) {
      const isRefused = this.#ports.walk.mayRefuse && message.kind === "request";
      this.#ports.say(
        `a message ${isRefused ? "is refused" : "passes as it is"}: ${reasonOf(error)}`,
      );
      if (!isRefused) return "forward";
      const why = "Internal error: the request could not be checked, so it was not sent";
      this.#refuse(message.idAsWritten, { code: INTERNAL_ERROR, why });
      return "answered";
    }
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
