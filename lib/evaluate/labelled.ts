/**
 * Decisions with what came of each of their options, as `hoist evaluate` reads them.
 *
 * @module
 */

import { callKey, canonicalJson } from "../flow/state/call_key.ts";
import { type Policy, policyOf } from "../flow/walking/explore.ts";
import type { LoggedDecision, LoggedRun } from "../flow/walking/read_flow_log.ts";
import type { FlowDecision } from "../flow/walking/flow_decision.ts";
import type { Episode } from "../trace/episode.ts";
import type { JsonObject } from "../json/json.ts";
import type { Manifest } from "../trace/manifest.ts";
import { writtenIdText } from "../trace/wire_messages.ts";
import { Future } from "../replay/future.ts";
import type { LabelledDecision } from "./labelled_line.ts";
import type { EpisodeReplay } from "../replay/replay_episode.ts";

/** What came of an option: 0 or 1, 0 or 1, and one over the calls of the turn it spares a call of. */
type Label = LabelledDecision["labels"][number];

/** A lookup; without arguments where nothing binds. */
interface CallOption {
  readonly tool: string;
  readonly arguments?: JsonObject | undefined;
}

/**
 * The labelled decisions of an episode. A decision one of whose options a flow made in
 * the recording itself is left out: what the agent would have done is not known.
 *
 * @param replay The replayed episode.
 * @param manifest Its tools.
 * @param policies How decisions that were explored came about.
 * @returns One line of JSON a decision that had options, keys sorted.
 */
export function labelledDecisions(
  { episode, decisions }: EpisodeReplay,
  manifest: Manifest,
  policies: WeakMap<FlowDecision, Policy> = new WeakMap(),
): string[] {
  const future = new Future(episode, manifest);
  return decisions.flatMap(({ decision, at }) => {
    const { action, options } = decision;
    // An explored lookup is not the best option.
    const best = action.kind === "lookup"
      ? options.find(({ tool }) => tool === action.tool)
      : decision.best;
    const policy = policies.get(decision) ?? policyOf(decision, 0, 1);
    const labels = labelsOf(policy.options, future, at);
    if (policy.options.length === 0 || labels === undefined) return [];
    const taken = action.kind === "lookup"
      ? { tool: action.tool, arguments: action.arguments }
      : { reason: action.reason };
    return [canonicalJson({
      action: action.kind,
      address: decision.address,
      binding: best?.best?.chance ?? null,
      episode: episode.id,
      task: episode.task_id,
      prob: best?.p ?? null,
      site: decision.site,
      ...taken,
      policy,
      labels,
    })];
  });
}

/** The decisions of a flow log, labelled by its session. */
export interface LabelledLog {
  readonly decisions: readonly LabelledDecision[];
  /** Decisions not in shadow, or whose lookup a flow made: what the agent would have done is not known. */
  readonly served: number;
  /** Decisions without a policy, or behind a call that the session does not hold. */
  readonly unlabelled: number;
}

/**
 * Labels the decisions that a flow logged in shadow by what the agent then did.
 *
 * @param lines The flow log.
 * @param episode The session it was logged in.
 * @param manifest The session's tools.
 * @returns Labelled decisions, and how many have none.
 */
export function labelLog(
  lines: readonly (LoggedDecision | LoggedRun)[],
  episode: Episode,
  manifest: Manifest,
): LabelledLog {
  const future = new Future(episode, manifest);
  const places = placesOf(episode);
  const decisions: LabelledDecision[] = [];
  const uses = new Map<string, number>();
  let served = 0;
  let unlabelled = 0;
  for (const line of lines) {
    const id = writtenIdText(line.after);
    const use = uses.get(id) ?? 1;
    if (line.kind === "run") {
      uses.set(id, use + 1); // An id may be used again once its call was answered.
      continue;
    }
    const { policy, probs } = line;
    if (Object.keys(probs).length === 0) continue; // Nothing was asked there.
    if (line.shadow !== true) {
      served++;
      continue;
    }
    const at = places.get(use === 1 ? id : `${id}#${use}`);
    if (policy === undefined || at === undefined) {
      unlabelled++;
      continue;
    }
    const labels = labelsOf(policy.options, future, at);
    if (labels === undefined) served++;
    else decisions.push({ ...line, policy, labels });
  }
  return { decisions, served, unlabelled };
}

/** Where the flow decided behind each of the agent's calls: at the last answer of the call's turn. */
function placesOf({ events }: Episode): Map<string, number> {
  const places = new Map<string, number>();
  let waiting: string[] = [];
  events.forEach((event, at) => {
    if (event.kind !== "tool_result" || event.call.by !== "agent") return;
    waiting.push(event.call.id);
    if (!event.isLast) return;
    for (const id of waiting) places.set(id, at);
    waiting = [];
  });
  return places;
}

/** The labels of a decision's options; undefined when a flow made one of them. */
function labelsOf(
  options: readonly CallOption[],
  future: Future,
  at: number,
): Label[] | undefined {
  const keys = options.map((o) => o.arguments && callKey(o.tool, o.arguments));
  if (keys.some((key) => key !== undefined && future.isServed(key, at))) return undefined;
  return keys.map((key): Label => {
    if (key === undefined) return { used: 0, detour: 0, turn: 0 };
    const spared = future.turnOf(key, at);
    return spared === undefined
      ? { used: 0, detour: 1, turn: 0 }
      : { used: 1, detour: 0, turn: 1 / spared };
  });
}
