/**
 * Counts the turns, calls and errors of a session.
 *
 * @module
 */

import type { RecordedEvent, RecordedTurn } from "../trace/recorded_episode.ts";
import type { Trace } from "../trace/trace.ts";

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

/**
 * Counts the events of a session.
 *
 * @param trace The trace of the session.
 * @param events Its episode's events.
 * @returns The numbers.
 */
export function summary(trace: Trace, events: readonly RecordedEvent[]): Summary {
  const { lines } = trace.log;
  const lookups = new Set<string>();
  let turns = 0, calls = 0, errors = 0;
  for (const event of events) {
    if (event.kind === "assistant") {
      for (const call of event.calls) if (call.by === "flow") lookups.add(call.id);
      calls += event.calls.filter((call) => call.by !== "flow").length;
      if (isOfModel(event)) turns++;
    } else if (event.kind === "tool_result" && event.error && !lookups.has(event.call_id)) errors++;
  }
  return {
    turns,
    calls,
    lookups: lookups.size,
    errors,
    duration_ms: lines.at(-1)?.t_ms ?? 0,
    lines: lines.length,
    raw_lines: lines.filter((line) => line.kind === "raw").length,
  };
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
