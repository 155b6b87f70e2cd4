/**
 * The flags that say how a flow is learned, shared by `hoist learn`, `compile` and `stage`.
 *
 * @module
 */

import { SURPRISE_WINDOW } from "../../flow/deciding/surprise.ts";
import type { LearnOptions } from "../../learn/learn_flow.ts";
import type { SurpriseWish } from "../../learn/learn_surprise.ts";
import { DETOUR_COST } from "../../learn/pick_threshold.ts";
import { numberFlag, UsageError } from "../../cli/command.ts";
import type { Flag, FlagValues } from "../../flags/flags.ts";

/** What is counted, and how much of it. */
export const COUNTING_FLAGS: readonly Flag[] = [
  {
    name: "constants",
    help:
      "Pass arguments that had one value in every call, such as a limit. The flow then holds these " +
      "values.",
  },
  {
    name: "half-life",
    value: "SESSIONS",
    help: "With --sessions: what a session did counts half for each so many newer ones. Default: " +
      "all count alike.",
  },
];

/** The flags that `hoist learn` and `hoist compile` share. */
export const LEARNING_FLAGS: readonly Flag[] = [
  {
    name: "threshold",
    value: "P",
    help:
      "The threshold to store, instead of the one that five-fold cross-validation over tasks picks.",
  },
  {
    name: "detour-cost",
    value: "TURNS",
    help:
      `Saved turns that one detour costs when the threshold is picked. Default: ${DETOUR_COST}.`,
  },
  {
    name: "alpha",
    value: "X",
    help: "Weight of shorter histories. Default: the likeliest of 0.25 to 64.",
  },
  ...COUNTING_FLAGS,
  {
    name: "surprise",
    value: "Q",
    help:
      "Also learn when the flow should act no more: once the agent's steps surprise it more than " +
      "they do in this share of the sessions, 0 to 1. Default: never.",
  },
  {
    name: "surprise-window",
    value: "N",
    help: `Steps of the agent's that --surprise looks at together. Default: ${SURPRISE_WINDOW}.`,
  },
];

/**
 * Reads {@linkcode COUNTING_FLAGS}.
 *
 * @param values The command line.
 * @returns Options of learning.
 * @throws {UsageError} When they do not fit the input.
 */
export function countingOf(values: FlagValues): Pick<LearnOptions, "constants" | "halfLife"> {
  const halfLife = numberFlag(values, "half-life", { min: 0.1, max: 1e6 });
  if (halfLife !== undefined && !values.has("sessions")) {
    throw new UsageError("--half-life needs --sessions: results files have no order in time");
  }
  return {
    ...(values.has("constants") ? { constants: true } : {}),
    ...(halfLife === undefined ? {} : { halfLife }),
  };
}

/**
 * Reads `--surprise` and its window.
 *
 * @param values The command line.
 * @returns What is wanted; undefined without `--surprise`.
 * @throws {UsageError} For a window alone, or a number out of bounds.
 */
export function surpriseWish(values: FlagValues): SurpriseWish | undefined {
  const quantile = numberFlag(values, "surprise", { min: 0, max: 1 });
  const window = numberFlag(values, "surprise-window", { min: 1, max: 1000, whole: true });
  if (quantile === undefined) {
    if (window !== undefined) throw new UsageError("--surprise-window needs --surprise");
    return undefined;
  }
  return { quantile, window: window ?? SURPRISE_WINDOW };
}

/** What `learn` and `stage` say of constants that a flow may not hold. */
export function droppedWords(constants: number): string {
  return `${constants} constant ${constants === 1 ? "argument is" : "arguments are"} left out: ` +
    "the value could be a person's or a record's, or fewer than three tasks show it";
}
