/**
 * An episode as the format writes it (docs/formats.md): what `hoist episodes --json`
 * prints, and what readers of other formats make.
 *
 * @module
 */

import type { Call } from "./calls.ts";

/** Words of the user. */
export interface UserEvent {
  /** Discriminates the events. */
  readonly kind: "user";
  /** The words. */
  readonly text: string;
}

/** The cost of a turn of the model. */
export interface Usage {
  /** Tokens read. */
  readonly prompt_tokens: number;
  /** Tokens written. */
  readonly completion_tokens: number;
  /** Price in US dollars. */
  readonly cost: number;
}

/** One turn of the model: text, calls, or both. A flow's lookup is a separate event. */
export interface RecordedTurn {
  /** Discriminates the events. */
  readonly kind: "assistant";
  /** The agent's words; null when there are none or the log does not hold them. */
  readonly text: string | null;
  /** The calls of the turn, in sending order. */
  readonly calls: readonly Call[];
  /** Always null for a session log, which does not know the cost. */
  readonly usage: Usage | null;
}

/** The answer to a call. */
export interface RecordedResult {
  /** Discriminates the events. */
  readonly kind: "tool_result";
  /** The call's id. */
  readonly call_id: string;
  /** The tool's name. */
  readonly name: string;
  /** Whether the call failed. */
  readonly error: boolean;
  /** The answer's text, or the error's message. */
  readonly content: string;
  /** Set when the answer has no content list, so that a flow cannot append to it. */
  readonly no_content?: true;
}

/** One event of an episode. */
export type RecordedEvent = UserEvent | RecordedTurn | RecordedResult;

/** One session, as the format writes it. */
export interface RecordedEpisode {
  /** Session id. */
  id: string;
  /** The task when known, else the session id. */
  task_id: string;
  /** Number of the attempt at the task; 0 for sessions. */
  trial: number;
  /** `--domain`, else the server's name, else empty. */
  domain: string;
  /** `--agent-model`, else the model that the host names, else the host's own name, else `unknown`. */
  agent_model: string;
  /** How well the task was solved, 0 to 1; 0 until set. */
  reward: number;
  /** The events in order. */
  events: readonly RecordedEvent[];
}
