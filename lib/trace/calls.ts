/**
 * Finds the tool calls of a session and their steps: sent, answered, cancelled, and,
 * since 2026-07-28, paused for input and resumed.
 *
 * A call is a `tools/call` request of the host or of the proxy. A result that asks
 * for input, and the retry that brings the input, belong to the same call.
 * `hoist_commit` is a call too, because a turn waits for it, but it is not a tool of
 * the server: readers that look for the agent's tools skip it.
 *
 * @module
 */

import { type CallResult, callResult } from "./call_result.ts";
import { canonicalJson } from "../json/canonical_json.ts";
import { at, isObject, type JsonObject, sameJson, textAt } from "../json/json.ts";
import type { PairerOptions, Pairing, WireExchange } from "./pairing.ts";
import { textHash, ValueSet } from "../text/value_set.ts";
import type { WireMessage, WireRequest } from "./wire_messages.ts";

/** Name of the tool that `--commit` adds. */
export const COMMIT_TOOL = "hoist_commit";

/** The origin of a call: the agent, a flow's lookup, or a commit on the agent's behalf. */
export type Caller = "agent" | "flow" | "commit";

/** One tool call. */
export interface Call {
  /** Its id as text, unique in the session. */
  readonly id: string;
  /** The tool's name. */
  readonly name: string;
  /** Its arguments; `{}` when the request holds no object. */
  readonly arguments: JsonObject;
  /** Its origin. */
  readonly by: Caller;
}

/** One step of a call. */
export type CallStep =
  | { readonly kind: "sent" | "paused" | "resumed" | "cancelled"; readonly call: Call }
  | { readonly kind: "answered"; readonly call: Call; readonly result: CallResult };

/** The steps of calls, by the index of their message. */
export type CallSteps = ReadonlyMap<number, CallStep>;

/** A running `hoist_commit` and the calls it still has to make. */
interface Commit {
  readonly exchange: WireExchange;
  readonly rest: unknown[];
}

/** A call that waits for input. */
interface Paused {
  readonly call: KnownCall;
  readonly stateHash: number;
}

/** A call, and its arguments as a hash: they may be large, and are only compared. */
interface KnownCall {
  readonly call: Call;
  readonly argumentsHash: number;
}

/** Running commits and paused calls that are remembered; past it the oldest are forgotten. */
const MAX_PENDING = 1000;
const NO_ARGUMENTS = {};

/** Finds the calls of one session, message by message. */
export class CallFinder {
  /** Ids of calls so far, and the number of uses of each that was used again. */
  readonly #used = new ValueSet();
  readonly #uses = new Map<string, number>();
  readonly #callOf = new WeakMap<WireExchange, KnownCall>();
  readonly #keepsAll: boolean;
  #commits: Commit[] = [];
  #paused: Paused[] = [];

  /** Starts before the first message; without `keeps: "all"` answers' calls have no arguments. */
  constructor({ keeps = "all" }: PairerOptions = {}) {
    this.#keepsAll = keeps === "all";
  }

  /** The call that an exchange belongs to. */
  callOf(exchange: WireExchange): Call | undefined {
    return this.#callOf.get(exchange)?.call;
  }

  /**
   * Takes the next message.
   *
   * @param message The message.
   * @param exchange The exchange it belongs to.
   * @returns The step of a call that it is; undefined for other messages.
   */
  take(message: WireMessage, exchange: WireExchange): CallStep | undefined {
    if (message.kind === "request") {
      return message.method === "tools/call" && message.from !== "server"
        ? this.#sent(message, exchange)
        : undefined;
    }
    const known = this.#callOf.get(exchange);
    if (known === undefined) return undefined;
    const { call } = known;
    if (message.kind === "notification") {
      this.#end(exchange);
      return { kind: "cancelled", call };
    }
    if (message.kind !== "response" || message.index !== exchange.answers[0]?.index) {
      return undefined;
    }
    this.#end(exchange);
    // A response that comes after the cancellation changes nothing.
    if (exchange.cancelled !== undefined) return undefined;
    if (textAt(message.result, "resultType") === "input_required") {
      const stateHash = jsonHash(at(message.result, "requestState"));
      this.#paused.push({ call: known, stateHash });
      if (this.#paused.length > MAX_PENDING) this.#paused.shift();
      return { kind: "paused", call };
    }
    return { kind: "answered", call, result: callResult(message) };
  }

  #sent(request: WireRequest, exchange: WireExchange): CallStep | undefined {
    const name = textAt(request.params, "name");
    if (name === undefined) return undefined; // Without a name no server can run it.
    const given = at(request.params, "arguments");
    const args = isObject(given) ? given : {};
    const argumentsHash = jsonHash(args);
    const continued = this.#resume(request.params, name, argumentsHash);
    if (continued !== undefined) {
      this.#callOf.set(exchange, continued);
      const { call } = continued;
      return { kind: "resumed", call: this.#keepsAll ? call : { ...call, arguments: args } };
    }
    const by = request.from === "client"
      ? "agent"
      : this.#isCommitted(name, args)
      ? "commit"
      : "flow";
    const call: Call = { id: this.#unique(request.id), name, arguments: args, by };
    const kept = this.#keepsAll ? call : { ...call, arguments: NO_ARGUMENTS };
    this.#callOf.set(exchange, { call: kept, argumentsHash });
    const planned = at(args, "calls");
    if (by === "agent" && name === COMMIT_TOOL && Array.isArray(planned)) {
      this.#commits.push({ exchange, rest: [...planned] });
      if (this.#commits.length > MAX_PENDING) this.#commits.shift();
    }
    return { kind: "sent", call };
  }

  /** The paused call that this request resumes, if any. */
  #resume(params: JsonObject, name: string, argumentsHash: number): KnownCall | undefined {
    const state = at(params, "requestState");
    if (state === undefined && at(params, "inputResponses") === undefined) return undefined;
    const hash = jsonHash(state);
    const found = this.#paused.findLastIndex(({ call, stateHash }) =>
      call.call.name === name && call.argumentsHash === argumentsHash && stateHash === hash
    );
    return found < 0 ? undefined : this.#paused.splice(found, 1)[0]?.call;
  }

  /** Whether this is the next call of a running commit. Lookups of a flow may come between. */
  #isCommitted(name: string, args: JsonObject): boolean {
    for (const { rest } of this.#commits) {
      const next = rest[0];
      if (textAt(next, "name") === name && sameJson(at(next, "arguments") ?? {}, args)) {
        rest.shift();
        return true;
      }
    }
    return false;
  }

  #end(exchange: WireExchange): void {
    this.#commits = this.#commits.filter((commit) => commit.exchange !== exchange);
  }

  /** `7`, and `7#2` for the next call with that id: an id may be used again once answered. */
  #unique(id: string): string {
    if (!this.#used.has(id)) {
      this.#used.add(id);
      return id;
    }
    const uses = (this.#uses.get(id) ?? 1) + 1;
    this.#uses.set(id, uses);
    return `${id}#${uses}`;
  }
}

function jsonHash(value: unknown): number {
  return value === undefined ? 0 : textHash(canonicalJson(value));
}

/**
 * Finds the calls of a session and their steps.
 *
 * @param messages The session's messages.
 * @param pairs The requests with their responses.
 * @returns The steps, by the index of their message.
 */
export function callSteps(messages: readonly WireMessage[], pairs: Pairing): CallSteps {
  const finder = new CallFinder();
  const steps = new Map<number, CallStep>();
  for (const message of messages) {
    const exchange = pairs.byMessage.get(message.index);
    const step = exchange === undefined ? undefined : finder.take(message, exchange);
    if (step !== undefined) steps.set(message.index, step);
  }
  return steps;
}
