/**
 * LLM turns, inferred from timing, since no message says where one begins.
 *
 * A call belongs to the current turn while any call of that turn waits for its
 * answer. So does one of the agent's that follows the turn's last answer within
 * half a second, with nothing said in between, unless it passes on a value that
 * the turn's answers showed first: then the model has read them. A call the
 * proxy makes when nothing waits is a turn of its own.
 *
 * Why 500 ms: hosts that run a turn's calls as the model streams them send the
 * next one a median of 218 ms after an answer, 90 % within 572 ms; a new turn
 * never came under 850 ms. A script that fires faster is taken for one turn,
 * hence the option.
 *
 * @module
 */

import { addLeaves, resultValues } from "./call_result.ts";
import type { Call, CallSteps } from "./calls.ts";
import type { WireMessage, WireResponse } from "./wire_messages.ts";

/** Options for {@linkcode turns}. */
export interface TurnOptions {
  /**
   * How long after a turn's last answer a call may still belong to it, in milliseconds.
   *
   * @default {500}
   */
  sameTurnMs?: number;
}

/** One turn of the model: the calls it made together. */
export interface Turn {
  /** The calls in the order sent, never empty. */
  readonly calls: readonly Call[];
}

/** The default of {@linkcode TurnOptions.sameTurnMs}. */
export const SAME_TURN_MS = 500;

/** Follows one session and keeps its current turn. */
class TurnFinder {
  readonly turnOf = new Map<Call, Turn>();
  readonly #sameTurnMs: number;
  #turn: { readonly calls: Call[] } = { calls: [] };
  readonly #waiting = new Set<Call>();
  /** When the turn's last answer came; undefined while it has none. */
  #answeredMs: number | undefined;
  #saidSince = false;
  /** What the turn's answers showed first. */
  readonly #fresh = new Set<string>();
  /** Every value passed or returned so far. */
  readonly #seen = new Set<string>();
  #spoken = "";

  constructor(sameTurnMs: number) {
    this.#sameTurnMs = sameTurnMs;
  }

  say(text: string): void {
    this.#saidSince = true;
    this.#spoken += `\n${text}`;
  }

  send(call: Call, t_ms: number): void {
    const values = new Set<string>();
    addLeaves(call.arguments, values);
    if (!this.#joins(call, t_ms, values)) {
      this.#turn = { calls: [] };
      this.#answeredMs = undefined;
      // What led to the proxy's own lookups is still news to the agent after them.
      if (call.by === "agent") this.#fresh.clear();
    }
    this.#turn.calls.push(call);
    this.#waiting.add(call);
    this.turnOf.set(call, this.#turn);
    for (const value of values) this.#seen.add(value);
  }

  resume(call: Call): void {
    if (this.turnOf.get(call) === this.#turn) this.#waiting.add(call);
  }

  /** The call waits no more: `response` is its answer, undefined when it was cancelled. */
  settle(call: Call, response: WireResponse | undefined): void {
    this.#waiting.delete(call);
    if (response === undefined) return;
    const isOurs = this.turnOf.get(call) === this.#turn;
    if (isOurs) {
      this.#answeredMs = response.t_ms;
      this.#saidSince = false;
    }
    for (const value of resultValues(response)) {
      if (isOurs && !this.#seen.has(value)) this.#fresh.add(value);
      this.#seen.add(value);
    }
  }

  #joins(call: Call, t_ms: number, values: ReadonlySet<string>): boolean {
    if (this.#waiting.size > 0) return true;
    if (call.by !== "agent" || this.#answeredMs === undefined || this.#saidSince) return false;
    if (t_ms - this.#answeredMs > this.#sameTurnMs) return false;
    for (const value of values) {
      if (this.#fresh.has(value) && !isWordOf(value, this.#spoken)) return false;
    }
    return true;
  }
}

/**
 * Finds the turns of a session.
 *
 * @param messages The session's messages.
 * @param steps What happened to its calls.
 * @param options How close calls of one turn stand.
 * @returns The turn each call belongs to; calls of one turn share the object.
 */
export function turns(
  messages: readonly WireMessage[],
  steps: CallSteps,
  options: TurnOptions = {},
): ReadonlyMap<Call, Turn> {
  const finder = new TurnFinder(options.sameTurnMs ?? SAME_TURN_MS);
  for (const message of messages) {
    if (message.kind === "spoken") finder.say(message.text);
    const step = steps.get(message.index);
    if (step === undefined) continue;
    const response = message.kind === "response" ? message : undefined;
    if (step.kind === "sent") finder.send(step.call, message.t_ms);
    else if (step.kind === "resumed") finder.resume(step.call);
    else finder.settle(step.call, response);
  }
  return finder.turnOf;
}

/** Whether a text holds the value as a word of its own, not as a part of a longer one. */
function isWordOf(value: string, text: string): boolean {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const around = [text[at - 1] ?? " ", text[at + value.length] ?? " "];
    if (around.every((char) => !/[\p{L}\p{N}]/u.test(char))) return true;
  }
  return false;
}
