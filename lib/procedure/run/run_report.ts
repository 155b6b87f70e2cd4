/**
 * What a run did, as `hoist-procedure` prints it.
 *
 * @module
 */

import type { JsonObject } from "../../json/json.ts";

/** How a run ended. */
export type RunVerdict = "resolved" | "done" | "transferred" | "hand_back" | "failed";

/** A call that was made. */
export interface MadeCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Whether it failed: an error result, an error response, or no answer. */
  readonly error: boolean;
  /** The answer's text; null when none came. */
  readonly result: string | null;
}

/** A call that a leaf asked for and that was not made. */
export interface UnmadeCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly why: "dry_run" | "refused" | "not_confirmed";
  readonly reason: string | null;
}

/** The outcome that was checked. */
export interface CheckReport {
  readonly phrase: string;
  readonly probe: string;
  readonly holds: boolean;
  /** What the probe answered; null when it could not be asked. */
  readonly result: string | null;
}

/** A run, told. */
export interface RunReport {
  readonly hoist_procedure_run: 1;
  readonly domain: string;
  readonly dry_run: boolean;
  readonly calls: readonly MadeCall[];
  readonly not_made: readonly UnmadeCall[];
  readonly check: CheckReport | null;
  readonly verdict: RunVerdict;
  /** Why the run did not resolve the ticket, or what failed; null when it went well. */
  readonly reason: string | null;
  /** The leaf that ended it: its site and the answers on the way there. */
  readonly ended_at: { readonly site: string; readonly path: readonly string[] } | null;
}

/**
 * The exit status of a run.
 *
 * @param verdict How it ended.
 * @returns 0 resolved, done or transferred; 3 handed back; 1 failed.
 */
export function exitCode(verdict: RunVerdict): 0 | 1 | 3 {
  return verdict === "hand_back" ? 3 : verdict === "failed" ? 1 : 0;
}
