/**
 * The options of a decision: which lookup, with which arguments, how likely.
 *
 * @module
 */

import type { Candidate } from "../binding/bind.ts";
import type { Step } from "../state/flow_state.ts";

/** Where the probability of a tool comes from. */
export type Decider = "reach" | "habit" | "arbiter";

/** The place of a decision: the call that just returned, and the steps up to it. */
export interface Site {
  readonly tool: string;
  readonly failed: boolean;
  /** The steps that led here, this call last. */
  readonly steps: readonly Step[];
}

/** A binding and its chance. */
export interface Choice {
  readonly candidate: Candidate;
  readonly chance: number;
}

/** A lookup as an option of a decision. */
export interface Option {
  readonly tool: string;
  /** The tool's probability. */
  readonly p: number;
  /** The habit's probability, whichever decider rules. */
  readonly habit: number;
  /** Its best binding; undefined when nothing is left to pass. */
  readonly best: Choice | undefined;
}
