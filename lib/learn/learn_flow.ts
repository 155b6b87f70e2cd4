/**
 * Learns a flow from episodes: a few passes over them, in their order, so that
 * the same sessions give the same flow, byte for byte.
 *
 * What is done next, and with which arguments, is counted on successful episodes, and on
 * all where fewer than twenty are.
 * The weights that shift those chances are fitted on all of them: a failed
 * episode still shows what the agent would have used.
 *
 * @module
 */

import type { Cues, Flow, Provenance } from "../flow/flow.ts";
import type { ReadResult } from "../flow/state/flow_state.ts";
import { STANDARD_PROGRAM } from "../flow/program/standard_program.ts";
import { Vocabulary } from "../flow/symbols.ts";
import { recordedAnswers } from "../replay/recorded.ts";
import type { AnswererOf } from "../replay/replay_episode.ts";
import type { Episode } from "../trace/episode.ts";
import type { Manifest } from "../trace/manifest.ts";
import { Agreement } from "./count/agreement.ts";
import { ConstantCounter, type Constants } from "./count/constants.ts";
import { StepCounter } from "./count/count_steps.ts";
import { type EpisodeSource, only } from "./episode_source.ts";
import { FeedCounter } from "./count/feeds.ts";
import { CueRows, fitCues } from "./fit_cues.ts";
import { FieldCounter } from "./count/learn_fields.ts";
import { WordCounter } from "./count/learn_words.ts";
import { CallTally, sortedMap } from "./count/tally.ts";
import { walk } from "../replay/walk.ts";

/** Options for {@linkcode learnFlow}. */
export interface LearnOptions {
  readonly manifest: Manifest;
  readonly read: ReadResult;
  readonly provenance: Pick<Provenance, "hoist" | "compiled_unix_ms">;
  /** Weight of shorter histories; by default fitted. */
  readonly alpha?: number;
  /** Rounds of fitting weights on the flow's own decisions; 0 for counts alone. Default 2. */
  readonly rounds?: number;
  /** Strength of the penalty on weights. Default 10. */
  readonly penalty?: number;
  /** Answers the lookups of the flows that are tried; by default the recording, else nothing. */
  readonly answerer?: AnswererOf;
  /** Sessions after which what was counted is worth half: how fast a flow forgets. */
  readonly halfLife?: number;
  /** Whether arguments that always have one value are passed so. */
  readonly constants?: boolean;
  /** Told how many such arguments a flow may not hold. */
  readonly onDropped?: (constants: number) => void;
  /** Whether every read is offered at every site. */
  readonly everyRead?: boolean;
  /** Whether it is counted which writes the results of lookups fed. */
  readonly feeds?: boolean;
  /** Input contracts, pinned in the flow. */
  readonly contracts?: Readonly<Record<string, string>>;
}

/** Fewer solved sessions than this, and the others are counted too. */
export const FEW_SOLVED = 20;

/**
 * The counted chance of a binding is that of the first pick, taken where the agent looked
 * something up: 375 of 375 say next to nothing of the picks behind it, or of one that the
 * customer did not name where another was named. At 0.999 no weight could say so.
 */
const CHOICE_MARGIN = 0.1;

/** Whether an episode solved its task. */
export function isSuccess(episode: Episode): boolean {
  return episode.reward >= 1 - 1e-9;
}

/**
 * Learns a flow.
 *
 * @param source The episodes.
 * @param options Tools, how results are read, where it comes from.
 * @returns The flow, without a threshold.
 */
export async function learnFlow(source: EpisodeSource, options: LearnOptions): Promise<Flow> {
  const { manifest, read } = options;
  const { sessions, isFew } = await countSessions(source);
  const solved = isFew ? source : only(source, isSuccess);
  const weightOf = agesIn(sessions, options.halfLife);
  const feeds = new FeedCounter(manifest, read);
  const tally = new CallTally(manifest, read, await constantsOf(solved, options));
  const words = new WordCounter(read);
  const fields = new FieldCounter(manifest, read);
  const vocab = new Vocabulary(Object.keys(manifest.tools).sort());
  const map = { fields: {}, ids: new Map<string, number>() };
  const counter = new StepCounter({ vocab, map, manifest });
  let at = 0;
  for await (const episode of solved.each()) {
    const weight = weightOf(at++);
    counter.add(tally.add(episode, weight), weight);
    words.add(episode);
    fields.add(episode);
    if (options.feeds) feeds.add(episode);
  }
  const agreement = new Agreement(tally.bindings(), manifest, read);
  at = 0;
  for await (const episode of solved.each()) {
    agreement.add(episode);
    const steps = walk(episode, manifest, read).steps.filter((s) => s.outcome !== undefined);
    counter.score(steps, weightOf(at++));
  }
  const counts = counter.done(options.alpha);
  const reads = vocab.tools.filter((tool) => manifest.tools[tool] === "read");
  const flow: Flow = {
    provenance: {
      hoist: options.provenance.hoist,
      sources: [...tally.agents].sort(),
      habit_episodes: tally.episodes,
      arbiter_cases: 0,
      compiled_unix_ms: options.provenance.compiled_unix_ms,
    },
    vocab,
    manifest,
    map,
    habit: counts.habit,
    reach: counts.reach,
    reads,
    next: sortedMap([...tally.next].map(([site, lookups]) => [site, sortedMap([...lookups])])),
    everyRead: options.everyRead ?? false,
    feeds: feeds.feeds(),
    outcomes: tally.outcomes(),
    bindings: tally.bindings(agreement.rates()),
    program: STANDARD_PROGRAM,
    cues: undefined,
    arbiter: undefined,
    threshold: undefined,
    thresholds: {},
    promoted: undefined,
    contracts: options.contracts,
    surprise: undefined,
  };
  return await weigh(flow, source, { words: words.words(reads), fields: fields.fields() }, options);
}

/** How many sessions are counted: the solved ones, or all where so few solved their task. */
async function countSessions(
  source: EpisodeSource,
): Promise<{ readonly sessions: number; readonly isFew: boolean }> {
  let [all, solved] = [0, 0];
  for await (const episode of source.each()) {
    all++;
    if (isSuccess(episode)) solved++;
  }
  const isFew = solved < FEW_SOLVED;
  return { sessions: isFew ? all : solved, isFew };
}

/** What a session counts, by its place among them: half for each half-life of newer ones. */
function agesIn(sessions: number, halfLife: number | undefined): (at: number) => number {
  return halfLife === undefined ? () => 1 : (at) => 0.5 ** ((sessions - 1 - at) / halfLife);
}

async function constantsOf(
  source: EpisodeSource,
  { manifest, read, constants: isWanted, onDropped }: LearnOptions,
): Promise<Constants["constants"]> {
  if (!isWanted) return new Map();
  const counter = new ConstantCounter(manifest, read);
  for await (const episode of source.each()) counter.add(episode);
  const { constants, dropped } = counter.done();
  onDropped?.(dropped);
  return constants;
}

/** Fits the weights, each round on the decisions of the flow as the last one left it. */
async function weigh(
  flow: Flow,
  source: EpisodeSource,
  seen: Pick<Cues, "words" | "fields">,
  options: LearnOptions,
): Promise<Flow> {
  const { read, rounds = 2, penalty = 10, answerer = recordedAnswers } = options;
  const choiceMargin = CHOICE_MARGIN;
  const blank: Cues = { ...seen, reach: new Map(), choice: new Map(), choiceMargin };
  let weighed = flow;
  for (let round = 0; round < rounds; round++) {
    const rows = new CueRows({ ...flow, cues: weighed.cues ?? blank }, read, answerer);
    for await (const episode of source.each()) rows.add(episode);
    weighed = { ...flow, cues: fitCues(rows, blank, { penalty, minRows: 5 }) };
  }
  return weighed;
}
