/**
 * Walks an episode through a session state, without any flow.
 *
 * @module
 */

import { FlowState, type ReadResult, type StepWatch } from "../flow/state/flow_state.ts";
import type { Episode, EpisodeCall } from "../trace/episode.ts";
import type { Manifest } from "../trace/manifest.ts";

/** What to look at on the way. */
export interface Walker {
  /** Looks at the agent's steps. */
  readonly watch?: StepWatch;
  /** A call is about to be made. */
  onCall?(call: EpisodeCall, state: FlowState): void;
  /** A call was answered. */
  onAnswer?(call: EpisodeCall, state: FlowState, at: number): void;
}

/**
 * Walks an episode.
 *
 * @param episode The episode.
 * @param manifest Its tools.
 * @param read How results are read.
 * @param walker What to look at.
 * @returns The state at the end.
 */
export function walk(
  episode: Episode,
  manifest: Manifest,
  read: ReadResult,
  walker: Walker = {},
): FlowState {
  const state = new FlowState(manifest, read, episode.task_id);
  state.watch = walker.watch;
  episode.events.forEach((event, at) => {
    if (event.kind === "user") state.hear(event.text);
    else if (event.kind === "assistant" && event.calls.length === 0) state.say(event.text ?? "");
    else if (event.kind === "assistant") {
      if (event.calls.length > 1) state.parallelTurns++;
      for (const call of event.calls) {
        walker.onCall?.(call, state);
        state.send(call.id, call.name, call.arguments, call.by === "flow");
      }
    } else if (event.call.answer !== undefined) {
      state.answer(event.call.id, event.call.answer.error, event.call.answer.content);
      walker.onAnswer?.(event.call, state, at);
    }
  });
  return state;
}
