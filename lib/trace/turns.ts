/**
 * Infers LLM turns from timing, because no message marks them.
 *
 * A call belongs to the current turn while any call of that turn is unanswered.
 * A later call of the agent also belongs to it when it comes within half a second
 * of the turn's last answer with no words in between. Exception: a call that uses
 * a value first seen in the turn's answers starts a new turn, because the model
 * has read them. A call of the proxy while nothing is pending is a separate turn.
 *
 * Why 500 ms: hosts that run calls while the model streams send the next one a
 * median of 218 ms after an answer, 90 % within 572 ms; a new turn never came
 * under 850 ms. A script that calls faster looks like one turn, hence the option.
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

/** One turn of the model: its calls. */
export interface Turn {
  /** The calls in sending order; never empty. */
  readonly calls: readonly Call[];
}

/** The default of {@linkcode TurnOptions.sameTurnMs}. */
export const SAME_TURN_MS = 500;

/** How long a live turn waits for its last call after the other calls were answered. */
export const STRAGGLER_MS = 10_000;

/** Tracks the current turn of a session. */
class TurnFinder {
  readonly turnOf = new Map<Call, Turn>();
  readonly #sameTurnMs: number;
  #turn: { readonly calls: Call[] } = { calls: [] };
  readonly #waiting = new Set<Call>();
  /** Time of the turn's last answer; undefined before the first. */
  #answeredMs: number | undefined;
  #saidSince = false;
  /** Values first seen in the turn's answers. */
  readonly #fresh = new Set<string>();
  /** All values passed or returned so far. */
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
      // Values that led to the proxy's lookups are still new to the agent after them.
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

  /** Ends a call: `response` is its answer, undefined when it was cancelled. */
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
 * @param steps The steps of its calls.
 * @param options The time limit between calls of one turn.
 * @returns The turn of each call; calls of one turn share the object.
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

/** Whether a text holds the value as a whole word. */
function isWordOf(value: string, text: string): boolean {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const around = [text[at - 1] ?? " ", text[at + value.length] ?? " "];
    if (around.every((char) => !/[\p{L}\p{N}]/u.test(char))) return true;
  }
  return false;
}
