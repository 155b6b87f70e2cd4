/**
 * Phases as a table: which phase a signal leads to. A signal that a phase does
 * not list is a fault of ours, and throws.
 *
 * @module
 */

/** The next phase, by phase and signal. */
export type Moves<Phase extends string, Signal extends string> = Readonly<
  Record<Phase, Readonly<Partial<Record<Signal, Phase>>>>
>;

/** Walks a table of phases. */
export class Phases<Phase extends string, Signal extends string> {
  readonly #moves: Moves<Phase, Signal>;
  #now: Phase;

  /** Starts at a phase. */
  constructor(moves: Moves<Phase, Signal>, start: Phase) {
    this.#moves = moves;
    this.#now = start;
  }

  /** The current phase. */
  get now(): Phase {
    return this.#now;
  }

  /** Whether the table lists the signal for the current phase. */
  can(signal: Signal): boolean {
    return this.#moves[this.#now][signal] !== undefined;
  }

  /**
   * Moves to the phase that a signal leads to.
   *
   * @param signal The signal.
   * @returns The new phase.
   * @throws {RangeError} When the table does not list the signal for the current phase.
   */
  move(signal: Signal): Phase {
    const next = this.#moves[this.#now][signal];
    if (next === undefined) throw new RangeError(`Cannot move: "${this.#now}" has no "${signal}"`);
    return this.#now = next;
  }
}
