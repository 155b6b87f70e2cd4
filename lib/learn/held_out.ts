/**
 * Replays each session under a flow that was learned from the others, fold by fold.
 *
 * @module
 */

import { FlowDecider } from "../flow/deciding/decider.ts";
import { recordedAnswers } from "../replay/recorded.ts";
import { type EpisodeReplay, replayEpisode } from "../replay/replay_episode.ts";
import type { Episode } from "../trace/episode.ts";
import { FOLDS, foldsOf } from "./count/folds.ts";
import { sourceOf } from "./episode_source.ts";
import { learnFlow } from "./learn_flow.ts";
import { bestThreshold, type PickOptions, tryThresholds } from "./pick_threshold.ts";

/**
 * Replays sessions that the flow did not see.
 *
 * @param episodes The sessions; those of one task are held out together.
 * @param options What learning needs.
 * @param onFold Called before each of five folds.
 * @returns A replay for each session, fold by fold.
 */
export async function heldOutReplays(
  episodes: readonly Episode[],
  options: PickOptions,
  onFold: (fold: number, of: number) => void = () => {},
): Promise<EpisodeReplay[]> {
  const folds = foldsOf(episodes.map(({ task_id }) => task_id));
  const replays: EpisodeReplay[] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    onFold(fold, FOLDS);
    const isHeld = ({ task_id }: Episode) => folds.get(task_id) === fold;
    const held = episodes.filter(isHeld);
    const seen = sourceOf(episodes.filter((episode) => !isHeld(episode)));
    if (held.length === 0) continue;
    const threshold = bestThreshold(await tryThresholds(seen, options));
    const decider = new FlowDecider({ ...await learnFlow(seen, options), threshold });
    const setting = { decider, limits: {}, read: options.read, answerer: recordedAnswers };
    for (const episode of held) replays.push(replayEpisode(episode, setting));
  }
  return replays;
}
