/**
 * A session in a few numbers.
 *
 * @module
 */

import type { RecordedEvent, RecordedTurn } from "./recorded_episode.ts";
import type { Trace } from "./trace.ts";

/** What a table says about a session. */
export interface Summary {
  /** LLM turns: the agent's messages and groups of calls; a flow's lookups are none. */
  readonly turns: number;
  /** Calls the agent made, the ones of its commits included. */
  readonly calls: number;
  /** Calls a flow made on its own. */
  readonly lookups: number;
  /** Calls of the agent that failed. */
  readonly errors: number;
  /** Time of the last line, in milliseconds after the start. */
  readonly duration_ms: number;
  /** Lines of the log, the header left out. */
  readonly lines: number;
  /** How many of them are not JSON. */
  readonly raw_lines: number;
}

/**
 * Counts what happened in a session.
 *
 * @param session The session.
 * @param events Its episode's events.
 * @returns The numbers.
 */
export function summary(session: Trace, events: readonly RecordedEvent[]): Summary {
  const { lines } = session.log;
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
 * Whether an event is the model's: it said or called something. A flow's lookup is not.
 *
 * @param event The event.
 * @returns Whether it counts as an LLM turn.
 */
export function isOfModel(event: RecordedTurn): boolean {
  return event.text !== null || event.calls.some((call) => call.by !== "flow");
}
