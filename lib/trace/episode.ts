/**
 * An episode: the one form that learning, replay, guards and procedures walk. Each
 * call knows its turn and its answer, each answer its call.
 *
 * @module
 */

import type { CallResult } from "./call_result.ts";
import type { Call } from "./calls.ts";
import type {
  RecordedEpisode,
  RecordedEvent,
  RecordedResult,
  RecordedTurn,
  UserEvent,
} from "./recorded_episode.ts";

/** A call and its answer. */
export interface EpisodeCall extends Call {
  /** The LLM turn it was made in, from 0; a flow's lookup has the turn before it. */
  readonly turn: number;
  /** Its answer; undefined when none came. */
  answer: CallResult | undefined;
}

/** One turn of the model: text, calls, or both. A flow's lookup is a separate event. */
export interface AssistantEvent extends RecordedTurn {
  /** The calls of the turn, in sending order. */
  readonly calls: readonly EpisodeCall[];
  /** Its number, from 0; a flow's lookup has that of the turn before it. */
  readonly turn: number;
}

/** The answer to a call. */
export interface ToolResultEvent extends RecordedResult {
  /** The call. */
  readonly call: EpisodeCall;
  /** Whether it is the last answer that comes to a call of its turn. */
  readonly isLast: boolean;
  /** Whether every call of its turn is answered. */
  readonly isWhole: boolean;
}

/** One event of an episode. */
export type EpisodeEvent = UserEvent | AssistantEvent | ToolResultEvent;

/** The turn of a call, as far as it is known when the call is sent. */
export interface CallTurn {
  /** Calls of the turn that are known, this one included. */
  readonly calls: number;
  /** Whether the agent wrote text with it. */
  readonly hasText: boolean;
}

/** One step of a session in the order in which a proxy sees it. */
export type EpisodeStep =
  | { readonly kind: "said"; readonly role: "user" | "assistant"; readonly text: string }
  | {
    readonly kind: "sent";
    readonly call: EpisodeCall;
    readonly turn: CallTurn;
    /** The request as it was written; absent when it was not recorded. */
    readonly written?: string;
  }
  | { readonly kind: "answered"; readonly call: EpisodeCall };

/** One session, in the form that learning and replay work on. */
export interface Episode extends RecordedEpisode {
  /** The events in order. */
  events: readonly EpisodeEvent[];
  /** Every call in the order sent. */
  readonly calls: readonly EpisodeCall[];
  /** LLM turns: messages of the agent, with or without calls. */
  readonly turns: number;
  /** The steps in the order on the wire; absent where the recording only holds turns. */
  readonly steps?: readonly EpisodeStep[];
}

/** The calls of one turn that still wait. */
interface Waiting {
  count: number;
  isWhole: boolean;
}

/**
 * Links the calls of a recorded episode with their turns and answers. An answer without
 * a call, and a second answer, are left out.
 *
 * @param recorded The episode.
 * @returns The same episode, to walk.
 */
export function linkEpisode(recorded: RecordedEpisode): Episode {
  const answered = new Set<string>();
  for (const event of recorded.events) {
    if (event.kind === "tool_result") answered.add(event.call_id);
  }
  const events: EpisodeEvent[] = [];
  const calls: EpisodeCall[] = [];
  const byId = new Map<string, { readonly call: EpisodeCall; readonly waiting: Waiting }>();
  let turn = -1;
  for (const event of recorded.events) {
    if (event.kind === "user") events.push(event);
    else if (event.kind === "assistant") {
      const isFlow = event.calls.length > 0 && event.calls.every((call) => call.by === "flow");
      if (!isFlow) turn++;
      const waiting = { count: 0, isWhole: true };
      const sent = event.calls.map((call): EpisodeCall => ({ ...call, turn, answer: undefined }));
      for (const call of sent) {
        byId.set(call.id, { call, waiting });
        calls.push(call);
        if (answered.has(call.id)) waiting.count++;
        else waiting.isWhole = false;
      }
      events.push({ ...event, calls: sent, turn });
    } else {
      const { call, waiting } = byId.get(event.call_id) ?? {};
      if (call === undefined || waiting === undefined || call.answer !== undefined) continue;
      const { error, content } = event;
      call.answer = { error, content, ...(event.no_content ? { noContent: true } : {}) };
      waiting.count--;
      events.push({ ...event, call, isLast: waiting.count === 0, isWhole: waiting.isWhole });
    }
  }
  return { ...recorded, events, calls, turns: turn + 1 };
}

/**
 * An episode as the format writes it.
 *
 * @param episode The episode.
 * @returns The same without links.
 */
export function recordedEpisode(episode: Episode): RecordedEpisode {
  const { calls: _calls, turns: _turns, steps: _steps, ...rest } = episode;
  return { ...rest, events: episode.events.map(recordedEvent) };
}

function recordedEvent(event: EpisodeEvent): RecordedEvent {
  if (event.kind === "user") return event;
  if (event.kind === "tool_result") {
    const { call: _call, isLast: _isLast, isWhole: _isWhole, ...recorded } = event;
    return recorded;
  }
  const { turn: _turn, ...recorded } = event;
  const calls = event.calls.map(({ turn: _of, answer: _answer, ...call }) => call);
  return { ...recorded, calls };
}
