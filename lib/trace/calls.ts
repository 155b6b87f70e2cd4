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
import { at, isObject, type JsonObject, sameJson, textAt } from "../json/json.ts";
import type { Pairing, WireExchange } from "./pairing.ts";
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
  readonly call: Call;
  readonly state: unknown;
}

/** Finds the calls of one session. */
class CallFinder {
  readonly steps = new Map<number, CallStep>();
  readonly #uses = new Map<string, number>();
  readonly #callOf = new Map<WireExchange, Call>();
  #commits: Commit[] = [];
  #paused: Paused[] = [];

  take(message: WireMessage, exchange: WireExchange): void {
    if (message.kind === "request") {
      if (message.method === "tools/call" && message.from !== "server") {
        this.#take(message, exchange);
      }
      return;
    }
    const call = this.#callOf.get(exchange);
    if (call === undefined) return;
    if (message.kind === "notification") {
      this.#end(exchange);
      this.steps.set(message.index, { kind: "cancelled", call });
    } else if (message.kind === "response" && message === exchange.answers[0]) {
      this.#end(exchange);
      // A response that comes after the cancellation changes nothing.
      if (exchange.cancelled !== undefined) return;
      if (textAt(message.result, "resultType") === "input_required") {
        this.#paused.push({ call, state: at(message.result, "requestState") });
        this.steps.set(message.index, { kind: "paused", call });
      } else {
        this.steps.set(message.index, { kind: "answered", call, result: callResult(message) });
      }
    }
  }

  #take(request: WireRequest, exchange: WireExchange): void {
    const name = textAt(request.params, "name");
    if (name === undefined) return; // Not a call: without a name no server can run it.
    const given = at(request.params, "arguments");
    const args = isObject(given) ? given : {};
    const continued = this.#resume(request.params, name, args);
    if (continued !== undefined) {
      this.#callOf.set(exchange, continued);
      this.steps.set(request.index, { kind: "resumed", call: continued });
      return;
    }
    const by = request.from === "client"
      ? "agent"
      : this.#isCommitted(name, args)
      ? "commit"
      : "flow";
    const call: Call = { id: this.#unique(request.id), name, arguments: args, by };
    this.#callOf.set(exchange, call);
    this.steps.set(request.index, { kind: "sent", call });
    const planned = at(args, "calls");
    if (by === "agent" && name === COMMIT_TOOL && Array.isArray(planned)) {
      this.#commits.push({ exchange, rest: [...planned] });
    }
  }

  /** The paused call that this request resumes, if any. */
  #resume(params: JsonObject, name: string, args: JsonObject): Call | undefined {
    const state = at(params, "requestState");
    if (state === undefined && at(params, "inputResponses") === undefined) return undefined;
    const found = this.#paused.findLastIndex((paused) =>
      paused.call.name === name && sameJson(paused.call.arguments, args) &&
      sameJson(paused.state, state)
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
    const uses = (this.#uses.get(id) ?? 0) + 1;
    this.#uses.set(id, uses);
    return uses === 1 ? id : `${id}#${uses}`;
  }
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
  for (const message of messages) {
    const exchange = pairs.byMessage.get(message.index);
    if (exchange !== undefined) finder.take(message, exchange);
  }
  return finder.steps;
}
