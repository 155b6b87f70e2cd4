/**
 * What every session that one proxy serves with a flow has in common.
 *
 * @module
 */

import type { FlowDecider } from "../../flow/deciding/decider.ts";
import type { Flow } from "../../flow/flow.ts";
import type { RunLimits } from "../../flow/walking/run_flow.ts";
import type { ReadResult } from "../../flow/state/flow_state.ts";
import type { KnownAnswers, Oracle } from "../../oracle/oracle.ts";

/** How a flow is served. */
export interface FlowSetting {
  /** The flow. */
  readonly flow: Flow;
  /** Makes the decider of a session, over the answers it knows. */
  readonly decider: (answers: KnownAnswers) => FlowDecider;
  /** Threshold and caps. */
  readonly limits: RunLimits;
  /** Reads results. */
  readonly read: ReadResult;
  /** `--flow-shadow`: decide and log, look nothing up. */
  readonly isShadow: boolean;
  /** `--flow-explore`, and its seed; undefined where nothing is explored or logged of it. */
  readonly explore: { readonly epsilon: number; readonly seed: number } | undefined;
  /** `--flow-tools`; undefined for all lookups. */
  readonly tools: ReadonlySet<string> | undefined;
  /** `--flow-lookup-timeout` in milliseconds. */
  readonly lookupMs: number;
  /** `--flow-budget` in characters; undefined for the host's own. */
  readonly budget: number | undefined;
  /** Who answers the arbiter; undefined where it asks nobody. */
  readonly oracle: Oracle | undefined;
  /** `--flow-questions`: requests to the oracle a session. */
  readonly questions: number;
  /** `--task-id`; by default a session's own id. */
  readonly taskId: string | undefined;
  /** The name the flow may know this server by; undefined when only the server can say it. */
  readonly serverName: string | undefined;
}

/** A whole run may hold the agent's result this long. */
export const RUN_MS = 20_000;
/** No result is held longer than this after the agent's request: many hosts give up after 30 s. */
export const PATIENCE_MS = 25_000;
/** An oracle may take this long over one decision. */
export const ORACLE_MS = 3_000;
