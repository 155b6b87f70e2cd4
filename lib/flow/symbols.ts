/**
 * Steps as numbers: what was done, how it ended, and what the result looked like.
 *
 * @module
 */

/** How a step ended. */
export type StepOutcome = "ok" | "failed" | "answered" | "ended";

/** What stands before the first step of a session. */
export const SESSION_START = 4294967295;

/** The action that is a message to the customer. */
export const RESPOND = 0;

const OUTCOMES: readonly StepOutcome[] = ["ok", "failed", "answered", "ended"];

/**
 * Packs a step.
 *
 * @param action The action's number in the vocabulary.
 * @param outcome How it ended.
 * @param feature The code feature of its result, 0 for none.
 * @returns The symbol.
 */
export function symbolOf(action: number, outcome: StepOutcome, feature: number): number {
  return (action * 4 + OUTCOMES.indexOf(outcome)) * 4096 + feature;
}

/** The words a flow knows: `Respond`, then its tools; one number more for any other tool. */
export class Vocabulary {
  readonly #ids: ReadonlyMap<string, number>;
  /** Number of actions, the unknown one included. */
  readonly size: number;

  /** Makes the vocabulary of these tools. */
  constructor(readonly tools: readonly string[]) {
    this.#ids = new Map(tools.map((tool, i) => [tool, i + 1]));
    this.size = tools.length + 2;
  }

  /** The action of a tool. */
  actionOf(tool: string): number {
    return this.#ids.get(tool) ?? this.tools.length + 1;
  }
}
