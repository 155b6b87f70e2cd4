/**
 * What flows did in a session, counted, and told in a line.
 *
 * @module
 */

/** What a session's flow did, for its last words. */
export interface FlowTally {
  lookups: number;
  failed: number;
  heldMs: number;
  /** Sum of the lookups' probabilities. */
  expected: number;
}

/** What flows did, in a line; undefined when they did nothing. */
export function summaryLine({ lookups, failed, heldMs, expected }: FlowTally): string | undefined {
  if (lookups === 0 && heldMs < 1) return undefined;
  return `flow: ${lookups} lookup${lookups === 1 ? "" : "s"}, ${failed} failed, ` +
    `${Math.round(heldMs)} ms added, ` +
    `about ${Math.round(expected)} of the agent's turns likely saved`;
}
