/**
 * An episode as the format writes it (docs/formats.md): what `hoist episodes --json`
 * prints, and what readers of other formats make.
 *
 * @module
 */

import type { Call } from "./calls.ts";

/** The customer said something. */
export interface UserEvent {
  /** Tells the events apart. */
  readonly kind: "user";
  /** What was said. */
  readonly text: string;
}

/** What a turn of the model cost. */
export interface Usage {
  /** Tokens read. */
  readonly prompt_tokens: number;
  /** Tokens written. */
  readonly completion_tokens: number;
  /** Price in US dollars. */
  readonly cost: number;
}

/** One turn of the model: text, calls, or both. A lookup of a flow is an event of its own. */
export interface RecordedTurn {
  /** Tells the events apart. */
  readonly kind: "assistant";
  /** What the agent said; null when it said nothing or the log does not hold it. */
  readonly text: string | null;
  /** The calls of the turn, in the order sent. */
  readonly calls: readonly Call[];
  /** Unknown from a session log. */
  readonly usage: Usage | null;
}

/** A call's answer. */
export interface RecordedResult {
  /** Tells the events apart. */
  readonly kind: "tool_result";
  /** The call's id. */
  readonly call_id: string;
  /** The tool. */
  readonly name: string;
  /** Whether the call failed. */
  readonly error: boolean;
  /** The answer's text, or the error's message. */
  readonly content: string;
  /** Set where the answer has no list of content: a flow can append nothing to it. */
  readonly no_content?: true;
}

/** One event of an episode. */
export type RecordedEvent = UserEvent | RecordedTurn | RecordedResult;

/** One session, as the format writes it. */
export interface RecordedEpisode {
  /** Session id. */
  id: string;
  /** The task, where one is known; else the session id. */
  task_id: string;
  /** Which attempt at the task; 0 for sessions. */
  trial: number;
  /** `--domain`, else the server's name, else empty. */
  domain: string;
  /** `--agent-model`, else the name of the host's application, else `unknown`. */
  agent_model: string;
  /** How well the task was solved, 0 to 1; 0 until set. */
  reward: number;
  /** What happened, in order. */
  events: readonly RecordedEvent[];
}
