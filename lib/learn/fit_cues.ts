/**
 * Fits the weights of a flow on its own decisions: the flow is replayed on the
 * episodes it was learned from, and each of its options is asked whether the
 * agent went on to make the call.
 *
 * Two regressions a lookup: whether the tool comes at all, around its reach; and,
 * where it does, whether this candidate is among its calls, around the binding's
 * counted chance. Together they are the product that the threshold is held
 * against.
 *
 * @module
 */

import { FlowDecider, logit, type OptionFacts } from "../flow/deciding/decider.ts";
import { type Cues, type Flow, LEAST_MARGIN, type Weights } from "../flow/flow.ts";
import type { FlowState, ReadResult } from "../flow/state/flow_state.ts";
import type { Future } from "../replay/future.ts";
import { type AnswererOf, replayEpisode } from "../replay/replay_episode.ts";
import type { Episode } from "../trace/episode.ts";
import { fitLogistic, type LogisticOptions, type Row } from "./regression/logistic.ts";
import { sortedMap } from "./count/tally.ts";

/** Rows kept of one lookup; more add time and no accuracy. */
const MAX_ROWS = 40_000;

/** Collects what happened at a flow's decisions. */
export class CueRows {
  readonly reach = new Map<string, Row[]>();
  readonly choice = new Map<string, Row[]>();
  readonly #decider: FlowDecider;
  readonly #margin: number;
  readonly #read: ReadResult;
  readonly #answerer: AnswererOf;
  #point: { future: Future; at: number; state: FlowState } | undefined;

  /** Collects with a flow; its threshold decides how far chains go. */
  constructor(flow: Flow, read: ReadResult, answerer: AnswererOf) {
    this.#decider = new FlowDecider(flow);
    this.#margin = flow.cues?.choiceMargin ?? LEAST_MARGIN;
    this.#decider.onFacts = (facts) => this.#take(facts);
    this.#read = read;
    this.#answerer = answerer;
  }

  /** Replays an episode. */
  add(episode: Episode): void {
    replayEpisode(episode, {
      decider: this.#decider,
      limits: { threshold: 0.25 },
      read: this.#read,
      answerer: this.#answerer,
      onPoint: (future, at, state) => this.#point = { future, at, state },
    });
  }

  #take(facts: readonly OptionFacts[]): void {
    if (this.#point === undefined) return;
    const { future, at, state } = this.#point;
    for (const { tool, p0, reach, choices } of facts) {
      const coming = new Set(future.callsOf(tool, at).filter((key) => !state.hasMade(key)));
      put(this.reach, tool, { offset: logit(p0), names: reach, happened: coming.size > 0 });
      if (coming.size === 0) continue;
      for (const { key, b0, cues } of choices) {
        const offset = logit(b0, this.#margin);
        put(this.choice, tool, { offset, names: cues, happened: coming.has(key) });
      }
    }
  }
}

/** Fits what was collected. */
export function fitCues(rows: CueRows, cues: Cues, options: LogisticOptions): Cues {
  return {
    ...cues,
    reach: weightsOf(rows.reach, options),
    choice: weightsOf(rows.choice, options),
  };
}

function weightsOf(rows: ReadonlyMap<string, readonly Row[]>, options: LogisticOptions): Weights {
  return sortedMap(
    [...rows].map(([tool, list]) => [tool, fitLogistic(list, { strictness, ...options })]),
  );
}

/**
 * What a customer says and what a record holds are the same in all episodes of a task: many
 * rows, few tasks, so they are shrunk more.
 */
function strictness(name: string): number {
  return name.startsWith("word:") ? 3 : name.startsWith("result:") ? 10 : 1;
}

function put(rows: Map<string, Row[]>, tool: string, row: Row): void {
  const list = rows.get(tool);
  if (list === undefined) rows.set(tool, [row]);
  else if (list.length < MAX_ROWS) list.push(row);
}
