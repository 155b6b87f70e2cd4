/**
 * What a session's flow asks of its surroundings, and what the runs of a turn share.
 *
 * @module
 */

import type { Site } from "../../flow/deciding/option.ts";
import type { JsonObject } from "../../json/json.ts";
import type { Later, OwnAnswer } from "../chain/interceptor.ts";
import type { LikelyLookup } from "./appendix/host_budgets.ts";

/** What a session's flow asks of its surroundings. */
export interface FlowPorts {
  /** Makes a lookup. */
  readonly lookUp: (tool: string, args: JsonObject, ms: number) => Promise<OwnAnswer>;
  /** Why a lookup may not be made; undefined when it may. */
  readonly refusal: (tool: string) => Promise<string | undefined>;
  /** Brings in what was said in the conversation since. */
  readonly wake: () => void;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonicMs: () => number;
  readonly later: Later;
  /** Tells the user. */
  readonly say: (line: string) => void;
}

/** A call of the agent behind which the flow decides. */
export interface FlowSite {
  /** The call's JSON-RPC id, as written. */
  readonly after: string;
  readonly site: Site;
}

/** A turn's runs, which share their limits and what they find. */
export interface FlowRun {
  /** What was looked up so far, in order. */
  readonly found: LikelyLookup[];
  /** Lookups made so far, those that failed too. */
  made: number;
  /** When all must be over, on the session's clock. */
  readonly endMs: number;
  /** Whether nobody waits for it any more. */
  readonly isOver: () => boolean;
}
