/**
 * Counts what flows did in a session, and tells it in a line.
 *
 * @module
 */

/** What a session's flow did. */
export interface FlowTally {
  lookups: number;
  failed: number;
  /** Lookups that did not fit into the result. */
  leftOut: number;
  heldMs: number;
  /** Sum of the lookups' probabilities. */
  expected: number;
}

/** Counts from nothing. */
export function newTally(): FlowTally {
  return { lookups: 0, failed: 0, leftOut: 0, heldMs: 0, expected: 0 };
}

/** Counts lookups that the agent is not given, and takes back what they were to save. */
export function countLeftOut(
  tally: FlowTally,
  leftOut: readonly { readonly chance: number }[],
): void {
  tally.leftOut += leftOut.length;
  for (const { chance } of leftOut) tally.expected -= chance;
}

/** Adds what one session did to the sum of others. */
export function addTally(sum: FlowTally, tally: FlowTally): void {
  for (const key of ["lookups", "failed", "leftOut", "heldMs", "expected"] as const) {
    sum[key] += tally[key];
  }
}

/**
 * What flows did, in a line.
 *
 * @param tally What they did.
 * @param measured Where it is measured; a part of the line.
 * @returns The line; undefined when they did nothing.
 */
export function summaryLine(
  { lookups, failed, leftOut, heldMs, expected }: FlowTally,
  measured = "",
): string | undefined {
  if (lookups === 0 && heldMs < 1) return undefined;
  return `flow: ${lookups} lookup${lookups === 1 ? "" : "s"}, ${failed} failed, ` +
    (leftOut === 0 ? "" : `${leftOut} left out as too long, `) +
    `${Math.round(heldMs)} ms added, ` +
    `about ${Math.round(expected)} of the agent's turns likely saved${measured}`;
}
