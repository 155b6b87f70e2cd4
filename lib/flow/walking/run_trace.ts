/**
 * A run's program beside the run itself: it says where to decide next and whether
 * there is a next decision, and keeps the run's values with their log-probabilities.
 *
 * @module
 */

import type { Flow } from "../flow.ts";
import type { RunSite } from "./flow_log.ts";
import {
  type Drawn,
  interpret,
  type Place,
  ProgramError,
  type ProgramInputs,
} from "../program/interpret.ts";
import { HAND_BACK, RunChances } from "../deciding/run_chances.ts";

/** The call that a run stands behind. */
export interface RunStart {
  /** The tool that the agent called. */
  readonly call: string;
  /** Whether that call failed. */
  readonly failed: boolean;
  readonly maxLookups: number;
}

/** Where the program wants a decision. */
export interface WantedDecision {
  readonly address: string;
  /** The tool of the call before; undefined when the program decides behind none. */
  readonly tool: string | undefined;
  readonly failed: boolean;
}

/**
 * The program of one run, step by step.
 *
 * While {@linkcode RunTrace.wanted} names a decision, take it and say with
 * {@linkcode RunTrace.decide} what it was; after a lookup say with
 * {@linkcode RunTrace.observe} how it ended. A program that cannot go on ends the
 * run, and says why in {@linkcode RunTrace.fault}.
 */
export class RunTrace {
  /** Values so far. A decision was forced, so its log-probability is 0. */
  readonly sites: RunSite[] = [];
  /** Why the program could not go on. */
  fault: string | undefined;
  readonly #chances: RunChances;
  readonly #start: RunStart;
  readonly #run: Generator<Place, unknown, Drawn | undefined>;
  #place: Extract<Place, { kind: "sample" }> | undefined;

  /** Starts the program of a flow behind a call. */
  constructor(flow: Flow, start: RunStart, chances: RunChances = new RunChances(flow)) {
    this.#start = start;
    this.#chances = chances;
    this.#run = interpret(flow.program, runInputsOf(start, chances));
    this.#advance(undefined);
  }

  /** The decision that the program wants now; undefined while it waits for an outcome, and at its end. */
  get wanted(): WantedDecision | undefined {
    if (this.#place?.dist.name !== "Decide") return undefined;
    const { prev, failed } = this.#place.dist;
    const { numbers } = this.#chances;
    const isCall = prev === numbers.numberOf(this.#start.call);
    const tool = isCall ? this.#start.call : numbers.toolOf(prev);
    return { address: this.#place.address, tool, failed };
  }

  /** The decision was taken: this lookup, or undefined to hand back. */
  decide(lookup: string | undefined): void {
    const number = lookup === undefined ? HAND_BACK : this.#chances.numbers.numberOf(lookup);
    this.#give("Decide", number, 0);
  }

  /** The lookup was answered, with an error or without. A lookup that got no answer failed. */
  observe(failed: boolean): void {
    const dist = this.#place?.dist;
    if (dist !== undefined) this.#give("Outcome", !failed, this.#chances.logp(dist, !failed));
  }

  /** The run ends here, whatever the program wants: the flow hands back at all that is left. */
  end(): void {
    while (this.#place !== undefined) {
      if (this.#place.dist.name === "Decide") this.decide(undefined);
      else this.observe(true);
    }
  }

  #give(name: "Decide" | "Outcome", value: Drawn, logp: number): void {
    const place = this.#place;
    if (place?.dist.name !== name) return;
    this.sites.push([place.address, value, logp]);
    this.#advance(value);
  }

  #advance(value: Drawn | undefined): void {
    this.#place = undefined;
    try {
      let next = this.#run.next(value);
      while (!next.done && next.value.kind !== "sample") next = this.#run.next();
      if (!next.done && next.value.kind === "sample") this.#place = next.value;
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      this.fault = error.message;
    }
  }
}

/** What a flow's program is given behind a call. */
export function runInputsOf(start: RunStart, { numbers }: RunChances): ProgramInputs {
  return {
    call: numbers.numberOf(start.call),
    callFailed: start.failed,
    maxLookups: start.maxLookups,
  };
}
