/**
 * The last of what was said and called, as text: what an oracle is shown of a session.
 *
 * @module
 */

import { canonicalJson } from "../../json/canonical_json.ts";
import type { JsonObject } from "../../json/json.ts";

/** A call that was answered. */
export interface TranscriptCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly error: boolean;
  readonly content: string;
}

/** Messages of the customer after the first that are shown, and how much of each. */
const LATER = 4;
const LATER_LENGTH = 600;
const FIRST_LENGTH = 1000;
const SAID_LENGTH = 600;
/** Calls shown with their results, and how much of each result. */
const RESULTS = 4;
const RESULT_LENGTH = 1500;
/** Calls before those, one line each, and how much of their arguments. */
const EARLIER = 16;
const ARGUMENTS_LENGTH = 160;

/** Remembers as much of a session as an oracle is shown. */
export class Transcript {
  #first: string | undefined;
  #later: string[] = [];
  #said: string | undefined;
  #calls: TranscriptCall[] = [];
  #isStopped = false;

  /** Nobody will ask: remembers nothing from here on. */
  stop(): void {
    this.#isStopped = true;
  }

  /** The customer said something. */
  hear(text: string): void {
    if (this.#first === undefined) this.#first = text;
    else this.#later = [...this.#later, text].slice(-LATER);
  }

  /** The agent said something. */
  say(text: string): void {
    this.#said = text;
  }

  /** A call was answered. */
  answered(call: TranscriptCall): void {
    if (this.#isStopped) return;
    this.#calls.push(call);
    if (this.#calls.length > RESULTS + EARLIER) this.#calls.shift();
  }

  /**
   * What an oracle is shown. Fields of which nothing is known are left out.
   *
   * @returns A state: the same session gives the same bytes.
   */
  state(): JsonObject {
    const earlier = this.#calls.slice(0, -RESULTS).map((call) => {
      const args = cut(canonicalJson(call.arguments), ARGUMENTS_LENGTH);
      return `${call.tool} ${args} ${call.error ? "failed" : "ok"}`;
    });
    const latest = this.#calls.slice(-RESULTS).map((call) => ({
      tool: call.tool,
      arguments: cut(canonicalJson(call.arguments), RESULT_LENGTH),
      [call.error ? "failed_with" : "result"]: cut(call.content, RESULT_LENGTH),
    }));
    return {
      ...(this.#first === undefined ? {} : { customer_request: cut(this.#first, FIRST_LENGTH) }),
      ...(this.#later.length === 0
        ? {}
        : { later_customer_messages: this.#later.map((text) => cut(text, LATER_LENGTH)) }),
      ...(this.#said === undefined ? {} : { agent_last_message: cut(this.#said, SAID_LENGTH) }),
      earlier_lookups: earlier,
      latest_results: latest,
    };
  }
}

/** The start of a text, at most so many code points, with an ellipsis where it is cut. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const points = Array.from(text.slice(0, 2 * most + 2));
  return points.length <= most ? points.join("") : points.slice(0, most - 1).join("") + "…";
}
