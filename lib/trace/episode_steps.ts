/**
 * The steps of an episode in the order in which a proxy sees them: messages, calls, answers.
 *
 * A session log holds the order on the wire, so each call is judged with exactly the
 * answers that a live guard had. Other recordings hold turns: all calls of a turn come
 * before its answers.
 *
 * @module
 */

import { elements, rootSpan, spanText } from "../json/json_spans.ts";
import type { LogLine } from "../log/log.ts";
import { COMMIT_TOOL } from "./calls.ts";
import type { CallTurn, Episode, EpisodeCall, EpisodeStep } from "./episode.ts";
import type { Trace } from "./trace.ts";
import { STRAGGLER_MS } from "./turns.ts";

/** The turn of a call that a commit makes. */
const ALONE: CallTurn = { calls: 1, hasText: false };

/**
 * The steps of an episode.
 *
 * @param episode The episode.
 * @returns Its steps on the wire; turn by turn if it was not recorded by a proxy.
 */
export function stepsOf(episode: Episode): readonly EpisodeStep[] {
  return episode.steps ?? episode.events.flatMap((event): EpisodeStep[] => {
    if (event.kind === "user") return [{ kind: "said", role: "user", text: event.text }];
    if (event.kind === "assistant") {
      const { calls, text } = event;
      const turn = { calls: calls.length, hasText: text !== null };
      return [
        // A commit makes its calls one after another; each is sent when the one before is answered.
        ...calls.filter(({ by }) => by !== "commit")
          .map((call): EpisodeStep => ({ kind: "sent", call, turn })),
        ...text === null ? [] : [{ kind: "said", role: "assistant", text } as const],
      ];
    }
    const { call } = event;
    const answered = { kind: "answered", call } as const;
    return call.by === "commit" ? [{ kind: "sent", call, turn: ALONE }, answered] : [answered];
  });
}

/**
 * The steps of a session log, in the order on the wire.
 *
 * @param trace The log.
 * @param calls The calls of its episode.
 * @returns The steps; each turn is as a live guard counts it.
 */
export function wireSteps(trace: Trace, calls: readonly EpisodeCall[]): EpisodeStep[] {
  const callOf = new Map(calls.map((call) => [call.id, call]));
  const open = new OpenTurn();
  const steps: EpisodeStep[] = [];
  const texts = messageTexts(trace.log.lines);
  for (const message of trace.messages) {
    const written = texts.next().value;
    if (message.kind === "spoken") {
      const { role, text } = message;
      open.say(role);
      steps.push({ kind: "said", role, text });
    }
    const step = trace.steps.get(message.index);
    const call = step && callOf.get(step.call.id);
    if (step === undefined || call === undefined || call.name === COMMIT_TOOL) continue;
    if (step.kind === "answered") steps.push({ kind: "answered", call });
    else if (step.kind === "sent") {
      const turn = call.by === "agent" ? open.send(call, message.t_ms) : ALONE;
      steps.push({ kind: "sent", call, turn, ...(written === undefined ? {} : { written }) });
      continue;
    }
    if (call.by !== "agent") continue;
    if (step.kind === "resumed") open.resume(call);
    else open.settle(call, step.kind === "answered" ? message.t_ms : undefined);
  }
  return steps;
}

/** The text of each message, batches split; undefined for a line that is not JSON. */
function* messageTexts(lines: readonly LogLine[]): Generator<string | undefined, undefined> {
  for (const line of lines) {
    if (line.kind === "raw") yield undefined;
    else if (!Array.isArray(line.message) || line.message.length === 0) yield line.text;
    else {
      const bytes = new TextEncoder().encode(line.text);
      for (const span of elements(bytes, rootSpan(bytes))) yield spanText(bytes, span);
    }
  }
  return undefined;
}

/** Counts the agent's calls that wait for an answer, and notes whether it spoke. */
class OpenTurn {
  readonly #waiting = new Set<EpisodeCall>();
  /** The time of the last answer while calls waited. */
  #answeredMs: number | undefined;
  #hasSpoken = false;

  say(role: "user" | "assistant"): void {
    this.#hasSpoken = role === "assistant";
  }

  send(call: EpisodeCall, tMs: number): CallTurn {
    if (this.#answeredMs !== undefined && tMs - this.#answeredMs >= STRAGGLER_MS) {
      this.#waiting.clear();
    }
    this.resume(call);
    const turn = { calls: this.#waiting.size, hasText: this.#hasSpoken };
    this.#hasSpoken = false;
    return turn;
  }

  resume(call: EpisodeCall): void {
    this.#answeredMs = undefined;
    this.#waiting.add(call);
  }

  settle(call: EpisodeCall, answeredMs: number | undefined): void {
    this.#waiting.delete(call);
    if (answeredMs !== undefined) {
      this.#answeredMs = this.#waiting.size > 0 ? answeredMs : undefined;
    }
  }
}
