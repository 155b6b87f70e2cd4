/**
 * How likely each value of a run's program is, from the flow's counts, and the
 * numbers that stand for its tools.
 *
 * @module
 */

import { keyOf } from "../backoff.ts";
import { type Flow, lookupsAt, siteName } from "../flow.ts";
import type { Distribution, Drawn } from "../program/interpret.ts";
import { symbolOf } from "../symbols.ts";

/** The number that stands for handing back. */
export const HAND_BACK = 0;

/** Symbols of one action and outcome: one for each code feature. */
const FEATURES = 4096;

/** Tools as numbers: the flow's reads from 1, then its other tools by name, then any other. */
export class ToolNumbers {
  readonly #tools: readonly string[];
  readonly #numbers: ReadonlyMap<string, number>;

  /** Numbers the tools of a flow. */
  constructor(flow: Flow) {
    const others = Object.keys(flow.manifest.tools).filter((tool) => !flow.reads.includes(tool));
    this.#tools = [...flow.reads, ...others.sort()];
    this.#numbers = new Map(this.#tools.map((tool, i) => [tool, i + 1]));
  }

  /** The number of a tool; one that the flow does not know has the number after the last. */
  numberOf(tool: string): number {
    return this.#numbers.get(tool) ?? this.#tools.length + 1;
  }

  /** The tool of a number; undefined for handing back and for what is no tool of the flow. */
  toolOf(number: number): string | undefined {
    return this.#tools[number - 1];
  }
}

/** The distributions of a flow's program. */
export class RunChances {
  readonly numbers: ToolNumbers;
  readonly #flow: Flow;

  /** Takes them from a flow. */
  constructor(flow: Flow) {
    this.#flow = flow;
    this.numbers = new ToolNumbers(flow);
  }

  /**
   * The log-probability of a value.
   *
   * @param dist What it is drawn from.
   * @param value The value.
   * @returns Its natural logarithm; minus infinity for what never comes.
   */
  logp(dist: Distribution, value: Drawn): number {
    return Math.log(this.table(dist).get(value) ?? 0);
  }

  /**
   * Every value that can come, and its probability.
   *
   * Decide: what the agent did next at the site, each choice counted once more than it
   * was seen. Outcome: (succeeded + 1) / (calls + 2).
   *
   * @param dist The distribution.
   * @returns Probabilities that sum to one.
   */
  table(dist: Distribution): ReadonlyMap<Drawn, number> {
    if (dist.name === "Outcome") {
      const [succeeded, calls] = this.#outcomes(this.numbers.toolOf(dist.tool));
      const p = (succeeded + 1) / (calls + 2);
      return new Map([[true, p], [false, 1 - p]]);
    }
    const tool = this.numbers.toolOf(dist.prev);
    const lookups = tool === undefined
      ? undefined
      : lookupsAt(this.#flow, siteName(tool, dist.failed));
    if (tool === undefined || lookups === undefined || lookups.size === 0) {
      return new Map([[HAND_BACK, 1]]);
    }
    let sum = 0;
    for (const n of lookups.values()) sum += n;
    const rest = Math.max(0, stepsAfter(this.#flow, tool, dist.failed) - sum);
    const total = sum + rest + lookups.size + 1;
    return new Map([
      [HAND_BACK, (rest + 1) / total],
      ...[...lookups].map(([lookup, n]) =>
        [this.numbers.numberOf(lookup), (n + 1) / total] as const
      ),
    ]);
  }

  /** Successes and calls of a tool; a flow without these counts knows those that a step followed. */
  #outcomes(tool: string | undefined): readonly [number, number] {
    if (tool === undefined) return [0, 0];
    const counted = this.#flow.outcomes;
    if (counted !== undefined) return counted.get(tool) ?? [0, 0];
    const succeeded = stepsAfter(this.#flow, tool, false);
    return [succeeded, succeeded + stepsAfter(this.#flow, tool, true)];
  }
}

/** How many steps of training followed a call of this tool that ended so. */
function stepsAfter({ habit, vocab }: Flow, tool: string, failed: boolean): number {
  const level = habit.base.levels[1];
  if (level === undefined) return 0;
  const first = symbolOf(vocab.actionOf(tool), failed ? "failed" : "ok", 0);
  let steps = level.get(keyOf([first], 1))?.total ?? 0;
  // Symbols that carry a code feature are the same step in another colour.
  for (const [key, counts] of level) {
    const symbol = Number(key);
    if (symbol > first && symbol < first + FEATURES) steps += counts.total;
  }
  return steps;
}
