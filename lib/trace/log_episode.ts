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
import { type Call, type Caller, type CallStep, COMMIT_TOOL } from "./calls.ts";
import { type Trace, traceOf } from "./trace.ts";
import { wireSteps } from "./episode_steps.ts";
import { type Turn, TurnFinder, type TurnOptions } from "./turns.ts";
import { type Episode, linkEpisode } from "./episode.ts";
import type { Parties } from "./parties.ts";
import type { RecordedEpisode, RecordedEvent, RecordedTurn } from "./recorded_episode.ts";
import type { SpokenMessage, WireMessage } from "./wire_messages.ts";

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

/** {@linkcode episode} for a trace. */
export function episodeOf(
  trace: Trace,
  header: LogHeader,
  options: EpisodeOptions = {},
): Episode {
  const linked = linkEpisode({
    ...episodeHead(header, trace.parties),
    events: episodeEvents(trace, options).map(({ event }) => event),
  });
  return { ...linked, steps: wireSteps(trace, linked.calls) };
}

/** The name of a session's agent: the model of the header, or of the host's requests, else the host. */
export function agentOf(
  { parties: { client, model } }: Pick<Trace, "parties">,
  header: LogHeader,
): string {
  return header.agent_model ?? model ?? client?.name ?? "unknown";
}

/**
 * The fields of an episode before its events.
 *
 * @param header First line of the log.
 * @param parties The host's application and the server.
 * @returns The fields; the reward is 0.
 */
export function episodeHead(
  header: LogHeader,
  parties: Parties,
): Omit<RecordedEpisode, "events"> {
  return {
    id: header.session,
    task_id: header.session,
    trial: 0,
    domain: header.domain ?? header.server_name ?? parties.server?.name ?? "",
    agent_model: agentOf({ parties }, header),
    reward: 0,
  };
}

interface Draft extends RecordedTurn {
  text: string | null;
  calls: Call[];
}

/** An event and the index of its first message. */
export interface PlacedEvent {
  /** The index of its first message. */
  readonly index: number;
  /** The event. */
  readonly event: RecordedEvent;
  /** The origin of the call that a result answers. */
  readonly by?: Caller;
}

/** Writes the events of one session. */
export class EventWriter {
  /** Events that were not handed out. */
  #events: PlacedEvent[] = [];
  /** The turn whose calls came last, where it began, and its event once it has one. */
  #turn: Turn | undefined;
  #start = 0;
  #draft: Draft | undefined;
  /** The agent's last words, until another event follows. */
  #words: Draft | undefined;

  /**
   * Takes the next message.
   *
   * @param message The message.
   * @param step The step of a call that it is.
   * @param turn The turn of a call that is sent.
   */
  take(message: WireMessage, step: CallStep | undefined, turn: Turn | undefined): void {
    if (message.kind === "spoken") this.#say(message);
    if (step?.kind === "answered") this.#answer(step.call, step.result, message.index);
    else if (step?.kind === "sent" && turn !== undefined) {
      this.#send(step.call, turn, message.index);
    }
  }

  /**
   * Hands out the events that no later message can change.
   *
   * @param isTurnOver Whether no later call belongs to the turn.
   * @returns The events in order; none comes twice.
   */
  drain(isTurnOver: boolean): PlacedEvent[] {
    const open = isTurnOver ? undefined : this.#draft;
    const isFinal = ({ event }: PlacedEvent) => event !== open && event !== this.#words;
    const [first] = this.#events;
    if (first === undefined || !isFinal(first)) return [];
    const end = this.#events.findIndex((event) => !isFinal(event));
    if (end >= 0) return this.#events.splice(0, end);
    return this.rest();
  }

  /** The events that were not handed out yet; a later message may change the last of them. */
  get held(): readonly PlacedEvent[] {
    return this.#events;
  }

  /** Hands out all events: no message follows. */
  rest(): PlacedEvent[] {
    const all = this.#events;
    this.#events = [];
    return all;
  }

  #say({ index, role, text }: SpokenMessage): void {
    const words: Draft = { kind: "assistant", text, calls: [], usage: null };
    this.#words = role === "assistant" ? words : undefined;
    this.#events.push({ index, event: this.#words ?? { kind: "user", text } });
  }

  #send(call: Call, turn: Turn, index: number): void {
    if (turn !== this.#turn) {
      this.#turn = turn;
      this.#start = index;
      this.#draft = undefined;
    }
    // Words directly before the agent's first call belong to the same turn.
    if (this.#draft === undefined && call.by === "agent") this.#draft = this.#words;
    this.#words = undefined;
    if (call.name === COMMIT_TOOL) return;
    if (this.#draft === undefined) {
      this.#draft = { kind: "assistant", text: null, calls: [], usage: null };
      this.#events.push({ index: this.#start, event: this.#draft });
    }
    this.#draft.calls.push(call);
  }

  #answer({ id, name, by }: Call, result: CallResult, index: number): void {
    if (name === COMMIT_TOOL) return;
    this.#words = undefined;
    const { error, content, noContent } = result;
    const event: RecordedEvent = { kind: "tool_result", call_id: id, name, error, content };
    this.#events.push({ index, event: noContent ? { ...event, no_content: true } : event, by });
  }
}

/**
 * Lists the events of a session.
 *
 * @param session The session.
 * @param options How close calls of one turn stand.
 * @returns A turn stands where its first call was sent, results where they came.
 */
export function episodeEvents(trace: Trace, options: EpisodeOptions = {}): PlacedEvent[] {
  const finder = new TurnFinder(options);
  const writer = new EventWriter();
  for (const message of trace.messages) {
    const step = trace.steps.get(message.index);
    writer.take(message, step, finder.take(message, step));
  }
  return writer.rest();
}
