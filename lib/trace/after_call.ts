/**
 * Cuts an episode at the answer to one call: the knowledge of a flow that acts after
 * that answer.
 *
 * @module
 */

import type { Call } from "./calls.ts";
import type { AssistantEvent, Episode, EpisodeEvent } from "./episode.ts";

/** An episode up to one answer. */
export interface EpisodeAfterCall {
  /**
   * The episode: all earlier turns; of the call's own turn the answered calls, in the order of
   * their answers, so this call is the last.
   */
  readonly episode: Episode;
  /** The calls of the turn that are still unanswered. */
  readonly asked: readonly Call[];
}

/**
 * Cuts an episode at the answer to a call.
 *
 * @example Usage
 * ```ts
 * import { afterCall, episode, readLog } from "@hoist/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const ep = episode(await readLog("testdata/sessions/v2/parcels.jsonl"));
 * const [call] = ep.events.flatMap((event) => event.kind === "assistant" ? event.calls : []);
 * const { episode: then, asked } = afterCall(ep, call?.id ?? "");
 *
 * assertEquals(then.events.at(-1)?.kind, "tool_result");
 * assertEquals([ep.events.length, then.events.length, asked.length], [5, 3, 0]);
 * ```
 *
 * @param episode The episode; not changed.
 * @param id The call's id.
 * @returns The episode at that moment, and the unanswered calls.
 * @throws {RangeError} When the episode has no answer to that call.
 */
export function afterCall(episode: Episode, id: string): EpisodeAfterCall {
  const end = episode.events.findIndex((e) => e.kind === "tool_result" && e.call_id === id);
  if (end < 0) {
    throw new RangeError(`Cannot cut the episode after call "${id}": it has no answer`);
  }
  const events = episode.events.slice(0, end + 1);
  const start = events.findLastIndex((e) => e.kind === "assistant" && holds(e, id));
  const turn = events[start];
  if (turn?.kind !== "assistant") {
    throw new RangeError(`Cannot cut the episode after call "${id}": it does not hold the call`);
  }
  const answered = answeredIds(events.slice(start));
  const calls = [...answered].flatMap((given) => turn.calls.filter((call) => call.id === given));
  const asked = turn.calls.filter((call) => !answered.has(call.id));
  const { steps: _steps, ...rest } = episode;
  return {
    episode: { ...rest, events: events.with(start, { ...turn, calls }) },
    asked,
  };
}

function holds(turn: AssistantEvent, id: string): boolean {
  return turn.calls.some((call) => call.id === id);
}

/** Ids in the order of their answers. */
function answeredIds(events: readonly EpisodeEvent[]): Set<string> {
  return new Set(events.flatMap((e) => e.kind === "tool_result" ? [e.call_id] : []));
}
