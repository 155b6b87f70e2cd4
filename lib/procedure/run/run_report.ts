/**
 * The report of a run, as `hoist-procedure` prints it.
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
  /** Whether the call failed: an error result, an error response, or no answer. */
  readonly error: boolean;
  /** The answer's text; null when none came. */
  readonly result: string | null;
}

/** A call that a leaf asked for but that was not made. */
export interface UnmadeCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly why: "dry_run" | "refused" | "not_confirmed";
  readonly reason: string | null;
}

/** A checked outcome. */
export interface CheckReport {
  readonly phrase: string;
  readonly probe: string;
  readonly holds: boolean;
  /** The probe's answer; null when it could not be called. */
  readonly result: string | null;
}

/** The report of a run. */
export interface RunReport {
  readonly hoist_procedure_run: 1;
  readonly domain: string;
  readonly dry_run: boolean;
  readonly calls: readonly MadeCall[];
  readonly not_made: readonly UnmadeCall[];
  readonly check: CheckReport | null;
  readonly verdict: RunVerdict;
  /** Why the run did not resolve the ticket; null when it did. */
  readonly reason: string | null;
  /** The leaf that ended the run: its site, and the answers on the path to it. */
  readonly ended_at: { readonly site: string; readonly path: readonly string[] } | null;
}

/**
 * Maps a verdict to an exit status.
 *
 * @param verdict The verdict.
 * @returns 0 for resolved, done and transferred; 3 for handed back; 1 for failed.
 */
export function exitCode(verdict: RunVerdict): 0 | 1 | 3 {
  return verdict === "hand_back" ? 3 : verdict === "failed" ? 1 : 0;
}
