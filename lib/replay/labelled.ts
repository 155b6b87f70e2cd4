/**
 * Decisions with what came of each of their options, as `hoist evaluate` reads them.
 *
 * @module
 */

import { callKey, canonicalJson } from "../flow/call_key.ts";
import type { Option } from "../flow/decider.ts";
import { policyOf } from "../flow/explore.ts";
import type { Manifest } from "../trace/manifest.ts";
import { Future } from "./future.ts";
import type { EpisodeReplay } from "./replay_episode.ts";

/**
 * The labelled decisions of an episode.
 *
 * @param replay The replayed episode.
 * @param manifest Its tools.
 * @returns One line of JSON a decision that had options, keys sorted.
 */
export function labelledDecisions(
  { course, decisions }: EpisodeReplay,
  manifest: Manifest,
): string[] {
  const future = new Future(course, manifest);
  return decisions.filter(({ decision }) => decision.options.length > 0).map(({ decision, at }) => {
    const { action, best } = decision;
    const taken = action.kind === "lookup"
      ? { tool: action.tool, arguments: action.arguments }
      : { reason: action.reason };
    return canonicalJson({
      action: action.kind,
      address: decision.address,
      binding: best?.best?.chance ?? null,
      episode: course.id,
      task: course.taskId,
      prob: best?.p ?? null,
      site: decision.site,
      ...taken,
      policy: policyOf(decision, 0, 1),
      labels: decision.options.map((option) => label(option, future, at)),
    });
  });
}

function label({ tool, best }: Option, future: Future, at: number): Record<string, number> {
  if (best === undefined) return { used: 0, detour: 0, turn: 0 };
  const spared = future.turnOf(callKey(tool, best.candidate.arguments), at);
  return spared === undefined
    ? { used: 0, detour: 1, turn: 0 }
    : { used: 1, detour: 0, turn: 1 / spared };
}
