/**
 * The end of a conversation, as much as a model is shown for a rule's question.
 *
 * It ends with the customer's last message: what the agent says beside a call stands
 * before the call on a running session and after it in some recordings.
 *
 * @module
 */

import { startOf } from "./confirm_question.ts";

/** A message. */
export interface Spoken {
  readonly by: "customer" | "agent";
  readonly text: string;
}

/** Messages that are shown, and code points of each. */
const MESSAGES = 40;
const LENGTH = 600;

/** The messages of one session. */
export class Dialogue {
  #heard: Spoken[] = [];
  /** What the agent has said since the customer's last message. */
  #since: Spoken[] = [];

  /** The customer said something. */
  heard(text: string): void {
    const all = [...this.#heard, ...this.#since, spoken("customer", text)];
    this.#heard = all.slice(-MESSAGES);
    this.#since = [];
  }

  /** The agent said something. */
  spoke(text: string): void {
    if (text !== "") this.#since = [...this.#since, spoken("agent", text)].slice(-MESSAGES);
  }

  /** What was said up to the customer's last message. */
  heardSoFar(): readonly Spoken[] {
    return this.#heard;
  }
}

function spoken(by: Spoken["by"], text: string): Spoken {
  return { by, text: startOf(text, LENGTH) };
}
