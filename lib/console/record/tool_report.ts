/**
 * The calls of all sessions by tool: how many, how they ended, how long they took, how much came.
 *
 * @module
 */

import type { Outcome } from "./session_row.ts";

/** One call, as the index knows it. */
export interface TalliedCall {
  readonly server: string;
  readonly tool: string;
  /** `agent`, `flow` or `commit`. */
  readonly by: string;
  readonly outcome: Outcome;
  /** Milliseconds to the answer; undefined without one. */
  readonly ms: number | undefined;
  /** Characters of the result. */
  readonly chars: number;
}

/** The calls of one tool. */
export interface ToolLine {
  readonly server: string;
  readonly tool: string;
  readonly calls: number;
  /** Calls that a flow made. */
  readonly lookups: number;
  readonly errors: number;
  readonly refused: number;
  readonly unanswered: number;
  /** Median and 95th percentile of the time to an answer; undefined without one. */
  readonly p50: number | undefined;
  readonly p95: number | undefined;
  /** The same of the characters of results. */
  readonly chars50: number | undefined;
  readonly chars95: number | undefined;
  /** Tokens of all results: a quarter of their characters. */
  readonly tokens: number;
}

interface Tally {
  readonly server: string;
  readonly tool: string;
  calls: number;
  lookups: number;
  errors: number;
  refused: number;
  unanswered: number;
  chars: number;
  readonly times: number[];
  readonly sizes: number[];
}

/** Counts calls by server and tool. */
export class ToolTally {
  readonly #tallies = new Map<string, Tally>();

  /** Counts a call. */
  add({ server, tool, by, outcome, ms, chars }: TalliedCall): void {
    const key = JSON.stringify([server, tool]);
    let tally = this.#tallies.get(key);
    if (tally === undefined) {
      const none = { calls: 0, lookups: 0, errors: 0, refused: 0, unanswered: 0, chars: 0 };
      tally = { server, tool, ...none, times: [], sizes: [] };
      this.#tallies.set(key, tally);
    }
    tally.calls++;
    if (by === "flow") tally.lookups++;
    if (outcome === "error") tally.errors++;
    if (outcome === "refused") tally.refused++;
    if (outcome === "open" || outcome === "cancelled") tally.unanswered++;
    // The proxy's own answers say nothing of the server's speed.
    if (ms === undefined || (outcome !== "ok" && outcome !== "error")) return;
    tally.times.push(ms);
    tally.sizes.push(chars);
    tally.chars += chars;
  }

  /** The tools, most calls first. */
  lines(): ToolLine[] {
    const lines = [...this.#tallies.values()].map(({ times, sizes, chars, ...counts }) => {
      const [ms, size] = [Float64Array.from(times).sort(), Float64Array.from(sizes).sort()];
      return {
        ...counts,
        p50: percentile(ms, 0.5),
        p95: percentile(ms, 0.95),
        chars50: percentile(size, 0.5),
        chars95: percentile(size, 0.95),
        tokens: Math.ceil(chars / 4),
      };
    });
    return lines.sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1));
  }
}

/** The smallest value that a share of the values does not exceed; undefined for none. */
function percentile(sorted: Float64Array, share: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}
