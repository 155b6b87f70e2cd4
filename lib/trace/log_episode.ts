/**
 * Makes an episode of a session log: what was said, what the agent called in each
 * turn, what came back.
 *
 * Field names are the format's (docs/formats.md). What a log cannot show stays
 * empty: without `--context` there are no user events and no assistant text; the
 * reward is 0 until the caller sets it, which means unknown, not failed.
 *
 * @module
 */

import type { LogHeader, SessionLog } from "../log/log.ts";
import type { CallResult } from "./call_result.ts";
import { type Call, COMMIT_TOOL } from "./calls.ts";
import { type Trace, traceOf } from "./trace.ts";
import { type Turn, type TurnOptions, turns } from "./turns.ts";
import type { RecordedEvent, RecordedTurn } from "./recorded_episode.ts";
import { type Episode, linkEpisode } from "./episode.ts";
import { wireSteps } from "./episode_steps.ts";
import type { SpokenMessage } from "./wire_messages.ts";

/** Options for {@linkcode episode}. */
export type EpisodeOptions = TurnOptions;

/**
 * Makes an episode of a session log.
 *
 * @example Usage
 * ```ts
 * import { episode, readLog } from "@hoist/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const ep = episode(await readLog("testdata/sessions/v2/parcels.jsonl"));
 * ep.reward = 1; // If you know the task was solved.
 *
 * assertEquals(ep.agent_model, "glm-5.3");
 * assertEquals(ep.events[0], { kind: "user", text: "Where is my parcel? I am lea@post.example" });
 * ```
 *
 * @param log The session log.
 * @param options How close calls of one turn stand.
 * @returns The episode; its reward is 0 until you set it.
 */
export function episode(log: SessionLog, options: EpisodeOptions = {}): Episode {
  return episodeOf(traceOf(log), log.header, options);
}

/** The name of a session's agent: its model as the header has it, else the host's name. */
export function agentOf({ parties: { client } }: Trace, header: LogHeader): string {
  return header.agent_model ?? client?.name ?? "unknown";
}

/** {@linkcode episode} of a session that is understood already. */
export function episodeOf(
  session: Trace,
  header: LogHeader,
  options: EpisodeOptions = {},
): Episode {
  const { server } = session.parties;
  const linked = linkEpisode({
    id: header.session,
    task_id: header.session,
    trial: 0,
    domain: header.domain ?? header.server_name ?? server?.name ?? "",
    agent_model: agentOf(session, header),
    reward: 0,
    events: episodeEvents(session, options).map(({ event }) => event),
  });
  return { ...linked, steps: wireSteps(session, linked.calls) };
}

interface Draft extends RecordedTurn {
  text: string | null;
  calls: Call[];
}

/** An event and the index of the message it begins with. */
export interface PlacedEvent {
  readonly index: number;
  readonly event: RecordedEvent;
}

/** Writes the events of one session. */
class EventWriter {
  readonly events: PlacedEvent[] = [];
  readonly #eventOf = new Map<Turn, Draft>();
  readonly #startOf = new Map<Turn, number>();
  /** What the agent said last, while nothing has followed it. */
  #words: Draft | undefined;

  say({ index, role, text }: SpokenMessage): void {
    const words: Draft = { kind: "assistant", text, calls: [], usage: null };
    this.#words = role === "assistant" ? words : undefined;
    this.events.push({ index, event: this.#words ?? { kind: "user", text } });
  }

  send(call: Call, turn: Turn, index: number): void {
    const start = this.#startOf.get(turn) ?? index;
    this.#startOf.set(turn, start);
    let event = this.#eventOf.get(turn);
    // Words directly before the agent's first call are of the same turn.
    if (event === undefined && call.by === "agent" && this.#words !== undefined) {
      event = this.#words;
      this.#eventOf.set(turn, event);
    }
    this.#words = undefined;
    if (call.name === COMMIT_TOOL) return;
    if (event === undefined) {
      event = { kind: "assistant", text: null, calls: [], usage: null };
      this.#eventOf.set(turn, event);
      this.events.push({ index: start, event });
    }
    event.calls.push(call);
  }

  answer({ id, name }: Call, { error, content, noContent }: CallResult, index: number): void {
    if (name === COMMIT_TOOL) return;
    this.#words = undefined;
    const event: RecordedEvent = { kind: "tool_result", call_id: id, name, error, content };
    this.events.push({ index, event: noContent ? { ...event, no_content: true } : event });
  }
}

/**
 * The events of a session.
 *
 * @param session The session.
 * @param options How close calls of one turn stand.
 * @returns A turn stands where its first call was sent, results where they came.
 */
export function episodeEvents(session: Trace, options: EpisodeOptions = {}): PlacedEvent[] {
  const turnOf = turns(session.messages, session.steps, options);
  const writer = new EventWriter();
  for (const message of session.messages) {
    if (message.kind === "spoken") writer.say(message);
    const step = session.steps.get(message.index);
    if (step === undefined) continue;
    const turn = turnOf.get(step.call);
    if (step.kind === "answered") writer.answer(step.call, step.result, message.index);
    else if (step.kind === "sent" && turn !== undefined) {
      writer.send(step.call, turn, message.index);
    }
  }
  return writer.events;
}
