/**
 * An episode as replay walks it: its turns with their calls, each call with its
 * answer, in the order things happened.
 *
 * @module
 */

import type { CallResult } from "./call_result.ts";
import type { Caller } from "./calls.ts";
import type { Episode } from "./episode.ts";
import type { JsonObject } from "../json/json.ts";

/** A call and how it was answered. */
export interface CourseCall {
  readonly id: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly by: Caller;
  /** Which LLM turn it was made in, from 0; a flow's lookup has the turn before it. */
  readonly turn: number;
  /** Its answer; undefined when none came. */
  answer: CallResult | undefined;
}

/** Something that happened. */
export type CourseEvent =
  | { readonly kind: "heard"; readonly text: string }
  | { readonly kind: "said"; readonly turn: number; readonly text: string | null }
  | {
    readonly kind: "sent";
    readonly calls: readonly CourseCall[];
    readonly turn: number;
    /** What was said beside the calls; null when nothing was or the log does not hold it. */
    readonly text: string | null;
  }
  | {
    readonly kind: "answered";
    readonly call: CourseCall;
    /** Whether it is the last answer that comes to a call of its turn. */
    readonly isLast: boolean;
    /** Whether every call of its turn is answered. */
    readonly isWhole: boolean;
  };

/** An episode, walked. */
export interface Course {
  readonly id: string;
  readonly taskId: string;
  readonly agent: string;
  readonly reward: number;
  readonly events: readonly CourseEvent[];
  /** Every call in the order sent. */
  readonly calls: readonly CourseCall[];
  /** LLM turns: messages of the agent, with or without calls. */
  readonly turns: number;
}

/**
 * Walks an episode.
 *
 * @param episode The episode.
 * @returns Its course.
 */
export function courseOf(episode: Episode): Course {
  const events: CourseEvent[] = [];
  const calls: CourseCall[] = [];
  const byId = new Map<string, CourseCall>();
  const answered = new Set<string>();
  for (const event of episode.events) if (event.kind === "tool_result") answered.add(event.call_id);
  const waiting = new Map<number, number>();
  const broken = new Set<number>();
  let turn = -1;
  let group = 0;
  const groupOf = new Map<CourseCall, number>();
  for (const event of episode.events) {
    if (event.kind === "user") events.push({ kind: "heard", text: event.text });
    else if (event.kind === "assistant") {
      const isFlow = event.calls.length > 0 && event.calls.every((call) => call.by === "flow");
      if (!isFlow) turn++;
      group++;
      if (event.calls.length === 0) events.push({ kind: "said", turn, text: event.text });
      else {
        const sent = event.calls.map((call): CourseCall => ({
          id: call.id,
          tool: call.name,
          arguments: call.arguments,
          by: call.by,
          turn,
          answer: undefined,
        }));
        for (const call of sent) {
          byId.set(call.id, call);
          calls.push(call);
          groupOf.set(call, group);
          if (answered.has(call.id)) waiting.set(group, (waiting.get(group) ?? 0) + 1);
          else broken.add(group);
        }
        events.push({ kind: "sent", calls: sent, turn, text: event.text });
      }
    } else {
      const call = byId.get(event.call_id);
      if (call === undefined || call.answer !== undefined) continue;
      const { error, content } = event;
      call.answer = { error, content, ...(event.no_content ? { noContent: true } : {}) };
      const of = groupOf.get(call) ?? 0;
      const left = (waiting.get(of) ?? 1) - 1;
      waiting.set(of, left);
      events.push({ kind: "answered", call, isLast: left === 0, isWhole: !broken.has(of) });
    }
  }
  return {
    id: episode.id,
    taskId: episode.task_id,
    agent: episode.agent_model,
    reward: episode.reward,
    events,
    calls,
    turns: turn + 1,
  };
}
