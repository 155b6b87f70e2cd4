/**
 * Keeps the end of a conversation, as far as a model sees it for a rule's question.
 *
 * It ends with the customer's last message. The agent's text in the same turn as a
 * call is left out: live it comes before the call, in some recordings after it.
 *
 * @module
 */

/** A message of the conversation. */
export interface DialogueMessage {
  readonly by: "customer" | "agent";
  readonly text: string;
}

/** The customer's last message, and the agent's message that it replies to. */
export interface LastExchange {
  /** The agent's last message before it; empty when there is none. */
  readonly proposal: string;
  /** The customer's last message; empty when there is none. */
  readonly reply: string;
}

/** The most messages kept, and the most code points of each. */
const MESSAGES = 40;
const LENGTH = 600;

/** The last messages of one session. */
export class Dialogue {
  #heard: DialogueMessage[] = [];
  /** The agent's messages since the customer's last one. */
  #since: DialogueMessage[] = [];

  /** Adds a message of the customer. */
  heard(text: string): void {
    const all = [...this.#heard, ...this.#since, spoken("customer", text)];
    this.#heard = all.slice(-MESSAGES);
    this.#since = [];
  }

  /** Adds a message of the agent. */
  spoke(text: string): void {
    if (text !== "") this.#since = [...this.#since, spoken("agent", text)].slice(-MESSAGES);
  }

  /** The messages up to the customer's last one. */
  heardSoFar(): readonly DialogueMessage[] {
    return this.#heard;
  }
}

function spoken(by: DialogueMessage["by"], text: string): DialogueMessage {
  return { by, text: startOf(text, LENGTH) };
}

/** Cuts a text to a number of code points; a cut text ends in an ellipsis. */
export function startOf(text: string, most: number): string {
  const points = Array.from(text.slice(0, 2 * most + 2));
  return points.length <= most ? text : points.slice(0, most - 1).join("") + "…";
}
