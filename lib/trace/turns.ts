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

import { eachLeaf, eachResultValue } from "./call_result.ts";
import type { Call, CallStep, CallSteps } from "./calls.ts";
import { ValueSet } from "../text/value_set.ts";
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

/** A turn with more calls, or more text, than a model can handle is a script's: it is split. */
const MAX_TURN_CALLS = 1000;
const MAX_TURN_CHARS = 8_388_608;
/** Values kept to tell new ones from known ones; the oldest are forgotten first. */
const MAX_VALUES = 1_048_576;
/** Characters of the conversation kept. */
const MAX_SPOKEN = 1_048_576;

/** Tracks the current turn of a session. Its memory is bounded, however long the session. */
export class TurnFinder {
  readonly #sameTurnMs: number;
  #turn: { readonly calls: Call[] } = { calls: [] };
  /** Ids of the turn's calls, and of those without an answer. */
  readonly #calls = new Set<string>();
  readonly #waiting = new Set<string>();
  /** Time of the turn's last answer; undefined before the first. */
  #answeredMs: number | undefined;
  /** Characters of the turn's values: arguments and answers. */
  #chars = 0;
  #saidSince = false;
  /** Values first seen in the turn's answers. */
  readonly #fresh = new ValueSet(MAX_VALUES);
  /** All values passed or returned so far. */
  readonly #seen = new ValueSet(MAX_VALUES);
  #spoken = "";

  /** Starts before the first call. */
  constructor({ sameTurnMs = SAME_TURN_MS }: TurnOptions = {}) {
    this.#sameTurnMs = sameTurnMs;
  }

  /** Whether no later call can belong to the current turn. */
  get isOver(): boolean {
    return this.#waiting.size === 0 && (this.#answeredMs === undefined || this.#saidSince);
  }

  /**
   * Follows one message.
   *
   * @param message The message.
   * @param step The step of a call that it is, if any.
   * @returns The turn of a call that was sent; undefined for other messages.
   */
  take(message: WireMessage, step: CallStep | undefined): Turn | undefined {
    if (message.kind === "spoken") this.#say(message.text);
    if (step === undefined) return undefined;
    if (step.kind === "sent") return this.#send(step.call, message.t_ms);
    if (step.kind === "resumed") {
      if (this.#calls.has(step.call.id)) this.#waiting.add(step.call.id);
    } else this.#settle(step.call, message.kind === "response" ? message : undefined);
    return undefined;
  }

  #say(text: string): void {
    this.#saidSince = true;
    this.#spoken += `\n${text}`;
    if (this.#spoken.length > 2 * MAX_SPOKEN) this.#spoken = this.#spoken.slice(-MAX_SPOKEN);
  }

  #send(call: Call, t_ms: number): Turn {
    const values = new Set<string>();
    eachLeaf(call.arguments, (value) => values.add(value));
    if (!this.#joins(call, t_ms, values)) {
      this.#turn = { calls: [] };
      this.#calls.clear();
      this.#waiting.clear();
      this.#answeredMs = undefined;
      this.#chars = 0;
      // Values that led to the proxy's lookups are still new to the agent after them.
      if (call.by === "agent") this.#fresh.clear();
    }
    this.#turn.calls.push(call);
    this.#calls.add(call.id);
    this.#waiting.add(call.id);
    for (const value of values) {
      this.#chars += value.length;
      this.#seen.add(value);
    }
    return this.#turn;
  }

  /** Ends the wait for a call: `response` is its answer, undefined when it was cancelled. */
  #settle(call: Call, response: WireResponse | undefined): void {
    this.#waiting.delete(call.id);
    if (response === undefined) return;
    const isOurs = this.#calls.has(call.id);
    if (isOurs) {
      this.#answeredMs = response.t_ms;
      this.#saidSince = false;
    }
    eachResultValue(response, (value) => {
      if (isOurs) {
        this.#chars += value.length;
        if (!this.#seen.has(value)) this.#fresh.add(value);
      }
      this.#seen.add(value);
    });
  }

  #joins(call: Call, t_ms: number, values: ReadonlySet<string>): boolean {
    if (this.#calls.size >= MAX_TURN_CALLS || this.#chars > MAX_TURN_CHARS) return false;
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
  const finder = new TurnFinder(options);
  const turnOf = new Map<Call, Turn>();
  for (const message of messages) {
    const step = steps.get(message.index);
    const turn = finder.take(message, step);
    if (turn !== undefined && step !== undefined) turnOf.set(step.call, turn);
  }
  return turnOf;
}

/** Whether a text holds the value as a whole word. */
function isWordOf(value: string, text: string): boolean {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const around = [text[at - 1] ?? " ", text[at + value.length] ?? " "];
    if (around.every((char) => !/[\p{L}\p{N}]/u.test(char))) return true;
  }
  return false;
}
