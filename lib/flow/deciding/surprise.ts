/**
 * The surprise gate: a session whose agent goes on doing what the flow's habit did
 * not expect is none that the flow should act in.
 *
 * A step of the agent's is scored when the step before it was an answered call after
 * which the flow has lookups to offer. Steps that follow a call still waiting, calls
 * of the same turn that is, are not.
 *
 * @module
 */

import { historyOf } from "../state/code_features.ts";
import { habitAfter } from "./decider.ts";
import { type Flow, lookupsAt, siteName, type SurpriseBar } from "../flow.ts";
import type { Step, StepWatch } from "../state/flow_state.ts";

/** Steps of a window where nothing says otherwise. */
export const SURPRISE_WINDOW = 5;

/** Why a flow hands back once its gate is shut. */
export const SURPRISED = "the session surprised the flow";

/** No step is less likely than this. */
const LEAST = 1e-6;

/** Scores the agent's steps of one session. */
export class SurpriseMeter implements StepWatch {
  /** The mean of the last window, in nats a step; undefined until it is full. */
  mean: number | undefined;
  /** The highest mean so far. */
  highest: number | undefined;
  readonly #flow: Flow;
  readonly #window: number;
  readonly #last: number[] = [];

  /** Scores by a flow's habit, over windows of so many steps. */
  constructor(flow: Flow, window: number) {
    this.#flow = flow;
    this.#window = window;
  }

  /** The agent makes its next step: a call of this tool, or a message. */
  step(before: readonly Step[], tool: string | undefined): void {
    const p = chanceOf(this.#flow, before, tool);
    if (p === undefined) return;
    this.#last.push(-Math.log(Math.max(LEAST, p)));
    if (this.#last.length > this.#window) this.#last.shift();
    if (this.#last.length < this.#window) return;
    this.mean = this.#last.reduce((sum, nats) => sum + nats, 0) / this.#window;
    this.highest = Math.max(this.highest ?? 0, this.mean);
  }

  /** A meter never stops a flow. */
  get isShut(): boolean {
    return false;
  }
}

/** Shuts for the rest of a session once a window surprised more than it may. */
export class SurpriseGate implements StepWatch {
  /** Whether the flow may not act any more. */
  isShut = false;
  readonly #meter: SurpriseMeter;
  readonly #threshold: number;

  /** Watches by a flow's habit. */
  constructor(flow: Flow, { window, threshold }: SurpriseBar) {
    this.#meter = new SurpriseMeter(flow, window);
    this.#threshold = threshold;
  }

  /** The agent makes its next step. */
  step(before: readonly Step[], tool: string | undefined): void {
    this.#meter.step(before, tool);
    if ((this.#meter.mean ?? 0) > this.#threshold) this.isShut = true;
  }
}

/**
 * The gate of a session.
 *
 * @param flow The flow.
 * @param given `off`, another threshold in nats, or undefined for the flow's own.
 * @returns A gate that has seen nothing; undefined where there is none.
 */
export function surpriseGate(
  flow: Flow,
  given: "off" | number | undefined,
): SurpriseGate | undefined {
  if (given === "off") return undefined;
  const bar = given === undefined
    ? flow.surprise
    : { window: flow.surprise?.window ?? SURPRISE_WINDOW, threshold: given };
  return bar && new SurpriseGate(flow, bar);
}

/** The habit's chance of a step: of a lookup that is offered, or else of anything but those. */
function chanceOf(
  flow: Flow,
  before: readonly Step[],
  tool: string | undefined,
): number | undefined {
  const last = before.at(-1);
  if (last?.tool === undefined || last.outcome === undefined) return undefined;
  const lookups = lookupsAt(flow, siteName(last.tool, last.outcome === "failed"));
  if (lookups.size === 0) return undefined;
  const history = historyOf(before, flow, flow.habit.base.order);
  if (tool !== undefined && lookups.has(tool)) return habitAfter(flow, history, tool);
  let rest = 1;
  for (const lookup of lookups.keys()) rest -= habitAfter(flow, history, lookup);
  return rest;
}
