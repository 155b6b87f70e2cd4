/**
 * The end of a conversation, as much as a model is shown for a rule's question.
 *
 * It ends with the customer's last message: what the agent says beside a call stands
 * before the call on a running session and after it in some recordings.
 *
 * @module
 */

/** A message. */
export interface DialogueMessage {
  readonly by: "customer" | "agent";
  readonly text: string;
}

/** The two messages that an agreement is made of. */
export interface LastExchange {
  /** What the agent said last before the customer's last message; empty when it had said nothing. */
  readonly proposal: string;
  /** The customer's last message; empty when there is none. */
  readonly reply: string;
}

/** Messages that are shown, and code points of each. */
const MESSAGES = 40;
const LENGTH = 600;

/** The messages of one session. */
export class Dialogue {
  #heard: DialogueMessage[] = [];
  /** What the agent has said since the customer's last message. */
  #since: DialogueMessage[] = [];

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
  heardSoFar(): readonly DialogueMessage[] {
    return this.#heard;
  }
}

function spoken(by: DialogueMessage["by"], text: string): DialogueMessage {
  return { by, text: startOf(text, LENGTH) };
}

/** The start of a text, at most so many code points, with an ellipsis where it is cut. */
export function startOf(text: string, most: number): string {
  const points = Array.from(text.slice(0, 2 * most + 2));
  return points.length <= most ? text : points.slice(0, most - 1).join("") + "…";
}
