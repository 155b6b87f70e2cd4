/**
 * The flow behind one recorded episode: what it would have looked up, and what
 * came of each lookup.
 *
 * Recorded behaviour is taken as fixed. A call of the agent's that a lookup
 * covers would not have been made, so it is not decided at again. The counting is
 * the one of docs/formats.md, the same for learning, replay and promotion.
 *
 * @module
 */

import { callKey } from "../flow/state/call_key.ts";
import type { FlowDecider } from "../flow/deciding/decider.ts";
import type { Site } from "../flow/deciding/option.ts";
import {
  type LookupAnswer,
  PER_CALL,
  runFlow,
  type RunLimits,
  type Spent,
  worth,
} from "../flow/walking/run_flow.ts";
import type { FlowDecision } from "../flow/walking/flow_decision.ts";
import { FlowState, type ReadResult } from "../flow/state/flow_state.ts";
import { surpriseGate } from "../flow/deciding/surprise.ts";
import type { Episode, EpisodeCall, ToolResultEvent } from "../trace/episode.ts";
import type { JsonObject } from "../json/json.ts";
import { Future } from "./future.ts";

const NOT_RECORDED = "the recording has no answer";
const FAILED = "the lookup failed";

/** Stands for an answer that the recording lacks: there is nothing in it to bind from. */
const NOTHING: LookupAnswer = { error: false, content: "" };

/** What became of a lookup. */
export type LookupFate = "used" | "same turn" | "detour" | "served";

/** One lookup of a replay. */
export interface ReplayLookup {
  readonly site: string;
  readonly tool: string;
  readonly key: string;
  /** The turn it was made behind. */
  readonly turn: number;
  fate: LookupFate | undefined;
  /** Why it is a detour. */
  reason: string | undefined;
  /** Credit: one over the calls of the turn it spared a call of. */
  credit: number;
}

/** A decision and what happened. */
export interface ReplayDecision {
  readonly decision: FlowDecision;
  /** Event index in the episode. */
  readonly at: number;
  /** Probability times chance of the best option that binds; undefined when none does. */
  readonly q: number | undefined;
  /** Whether the agent made that call later, before its next write. */
  readonly happened: boolean;
}

/** What came of one episode. */
export interface EpisodeReplay {
  readonly episode: Episode;
  readonly saved: number;
  readonly lookups: readonly ReplayLookup[];
  readonly decisions: readonly ReplayDecision[];
  /** Lookups the answerer did not know. */
  readonly unanswered: number;
}

/** Answers lookups in a replay. */
export interface LookupAnswerer {
  /** The answer to a lookup, as things stood at an event of the episode. */
  answer(tool: string, args: JsonObject, at: number): LookupAnswer;
  /** A write of the recording was accepted. */
  wrote?(call: EpisodeCall): void;
}

/** Makes the answerer of an episode. */
export type AnswererOf = (episode: Episode, future: Future) => LookupAnswerer;

/** What a replay needs besides the episode. */
export interface ReplaySetting {
  readonly decider: FlowDecider;
  readonly limits: RunLimits;
  readonly read: ReadResult;
  readonly answerer: AnswererOf;
  /** Told before each decision is taken. */
  readonly onPoint?: (future: Future, at: number, state: FlowState) => void;
}

/**
 * Replays an episode.
 *
 * @param episode The episode.
 * @param setting The flow, its limits, and who answers.
 * @returns What came of it.
 */
export function replayEpisode(episode: Episode, setting: ReplaySetting): EpisodeReplay {
  const replayer = new EpisodeReplayer(episode, setting);
  episode.events.forEach((_, at) => replayer.take(at));
  return replayer.done();
}

class EpisodeReplayer {
  readonly #episode: Episode;
  readonly #setting: ReplaySetting;
  readonly #state: FlowState;
  readonly #future: Future;
  readonly #answerer: LookupAnswerer;
  readonly #lookups: ReplayLookup[] = [];
  /** Lookups whose answer still holds. */
  readonly #open = new Map<string, ReplayLookup>();
  readonly #decisions: ReplayDecision[] = [];
  readonly #spent: Spent = { lookups: 0 };
  readonly #covered = new Set<EpisodeCall>();
  #queue: { call: EpisodeCall; site: Site }[] = [];
  /** Whether the turn's last result so far can carry what would be looked up. */
  #carries = true;
  #saved = 0;
  #unanswered = 0;

  constructor(episode: Episode, setting: ReplaySetting) {
    const { manifest } = setting.decider.flow;
    this.#episode = episode;
    this.#setting = setting;
    this.#state = new FlowState(manifest, setting.read, episode.task_id);
    this.#state.watch = surpriseGate(setting.decider.flow, setting.limits.surprise);
    this.#future = new Future(episode, manifest);
    this.#answerer = setting.answerer(episode, this.#future);
  }

  take(at: number): void {
    const event = this.#episode.events[at];
    if (event?.kind === "user") this.#state.hear(event.text);
    else if (event?.kind === "assistant" && event.calls.length === 0) {
      this.#state.say(event.text ?? "");
    } else if (event?.kind === "assistant") this.#send(event.calls);
    else if (event?.kind === "tool_result") this.#answer(event, at);
  }

  done(): EpisodeReplay {
    for (const lookup of this.#lookups) {
      if (lookup.fate !== undefined) continue;
      lookup.fate = "detour";
      lookup.reason ??= this.#future.mentions(lookup.tool, lookup.turn)
        ? "the agent read another record"
        : "the agent did not use the tool again";
    }
    return {
      episode: this.#episode,
      saved: this.#saved,
      lookups: this.#lookups,
      decisions: this.#decisions,
      unanswered: this.#unanswered,
    };
  }

  #send(calls: readonly EpisodeCall[]): void {
    let isSaved = true;
    let isAgents = false;
    let sent = 0;
    for (const call of calls) {
      if (call.by === "agent") isAgents = true;
      const key = callKey(call.name, call.arguments);
      const lookup = this.#open.get(key);
      if (lookup !== undefined && call.by === "flow") {
        // The same lookup, made in the recording: this run has made it already.
        lookup.fate ??= "served";
        this.#covered.add(call);
        continue;
      }
      const isCovering = lookup !== undefined && lookup.fate === undefined && call.by === "agent";
      if (isCovering && call.turn > lookup.turn) {
        lookup.fate = "used";
        lookup.credit = 1 / calls.length;
        this.#covered.add(call);
        continue;
      }
      if (isCovering) lookup.fate = "same turn";
      isSaved = false;
      if (call.by === "agent" && ++sent === 2) this.#state.parallelTurns++;
      this.#state.send(call.id, call.name, call.arguments, call.by === "flow");
    }
    if (isSaved && isAgents) this.#saved++;
  }

  #answer({ call, isLast, isWhole }: ToolResultEvent, at: number): void {
    const { answer } = call;
    if (answer === undefined) return;
    if (!this.#covered.has(call)) {
      this.#state.answer(call.id, answer.error, answer.content);
      const isWrite = this.#state.isWrite(call.name) && !answer.error;
      if (isWrite) {
        this.#answerer.wrote?.(call);
        for (const [key, lookup] of this.#open) {
          if (this.#state.hasMade(key)) continue;
          this.#open.delete(key);
          lookup.reason ??= "a write made it stale";
        }
      }
      if (call.by === "agent") {
        const steps = this.#state.stepsTo(call.id);
        this.#queue.push({ call, site: { tool: call.name, failed: answer.error, steps } });
        this.#carries = answer.noContent !== true;
      }
    }
    if (!isLast) return;
    // While a call of the turn waits nothing runs, and once it is given up what was queued is dropped.
    const queue = this.#carries && isWhole ? this.#queue : [];
    this.#queue = [];
    const before = this.#spent.lookups;
    for (const { call, site } of queue) this.#run(call, site, at, this.#spent.lookups - before);
  }

  /** Runs behind one call of a turn; the turn's runs share what may be looked up behind a call. */
  #run(call: EpisodeCall, site: Site, at: number, made: number): void {
    const { decider, onPoint } = this.#setting;
    const perCall = Math.max(0, (this.#setting.limits.perCall ?? PER_CALL) - made);
    const limits = { ...this.#setting.limits, perCall };
    const run = runFlow(decider, this.#state, site, limits, this.#spent);
    onPoint?.(this.#future, at, this.#state);
    for (let next = run.next(); !next.done;) {
      const decision = next.value;
      const key = decision.best?.best?.candidate.key;
      this.#decisions.push({
        decision,
        at,
        q: key === undefined ? undefined : worth(decision.best),
        happened: key !== undefined && this.#future.comes(key, at),
      });
      if (decision.action.kind === "hand_back") break;
      const { tool, arguments: args, key: made } = decision.action;
      const answer = this.#answerer.answer(tool, args, at);
      const failed = answer?.error === true;
      const lookup: ReplayLookup = {
        site: decision.site,
        tool,
        key: made,
        turn: call.turn,
        fate: undefined,
        reason: answer === undefined ? NOT_RECORDED : failed ? FAILED : undefined,
        credit: 0,
      };
      this.#lookups.push(lookup);
      // A lookup that fails is appended to nothing: the agent still has to make the call.
      if (!failed) this.#open.set(made, lookup);
      if (answer === undefined) this.#unanswered++;
      onPoint?.(this.#future, at, this.#state);
      next = run.next(answer ?? NOTHING);
    }
  }
}
