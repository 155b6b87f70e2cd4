/**
 * Counts the turns, calls and errors of a session.
 *
 * @module
 */

import type { LogLine } from "../log/log.ts";
import type { PlacedEvent } from "../trace/log_episode.ts";
import type { RecordedTurn } from "../trace/recorded_episode.ts";

/** The numbers of a session. */
export interface Summary {
  /** LLM turns: the agent's messages and groups of calls, without a flow's lookups. */
  readonly turns: number;
  /** Calls of the agent, those of its commits included. */
  readonly calls: number;
  /** Lookups of a flow. */
  readonly lookups: number;
  /** Failed calls of the agent. */
  readonly errors: number;
  /** Time of the last line, milliseconds after the start. */
  readonly duration_ms: number;
  /** Lines of the log without the header. */
  readonly lines: number;
  /** Lines that are not JSON. */
  readonly raw_lines: number;
}

/** Counts one session as it is read. */
export class SummaryCounter {
  #turns = 0;
  #calls = 0;
  #lookups = 0;
  #errors = 0;
  #durationMs = 0;
  #lines = 0;
  #rawLines = 0;

  /** Counts a line of the log. */
  line({ kind, t_ms }: LogLine): void {
    this.#lines++;
    if (kind === "raw") this.#rawLines++;
    this.#durationMs = t_ms;
  }

  /** Counts an event of the episode. */
  event({ event, by }: PlacedEvent): void {
    if (event.kind === "assistant") {
      const lookups = event.calls.filter((call) => call.by === "flow").length;
      this.#lookups += lookups;
      this.#calls += event.calls.length - lookups;
      if (isOfModel(event)) this.#turns++;
    } else if (event.kind === "tool_result" && event.error && by !== "flow") this.#errors++;
  }

  /** The numbers so far. */
  get summary(): Summary {
    return {
      turns: this.#turns,
      calls: this.#calls,
      lookups: this.#lookups,
      errors: this.#errors,
      duration_ms: this.#durationMs,
      lines: this.#lines,
      raw_lines: this.#rawLines,
    };
  }
}

/**
 * Whether an event is a turn of the model: it has words or calls. A flow's lookup is not one.
 *
 * @param event The event.
 * @returns Whether it counts as an LLM turn.
 */
export function isOfModel(event: RecordedTurn): boolean {
  return event.text !== null || event.calls.some((call) => call.by !== "flow");
}
