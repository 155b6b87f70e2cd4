/**
 * Counts the verdicts of the confirmation judge and of the word list on recorded writes.
 *
 * @module
 */

import { jsonText } from "../../json/json.ts";
import type { CallFate } from "./guard_tally.ts";
import { type JudgeAnswers, judged, type JudgeRule } from "../judge/judge_verdict.ts";
import type { EpisodeWrites, JudgedWrite } from "./episode_writes.ts";

/** Counts over the writes of one fate. */
export interface ConfirmCounts {
  writes: number;
  /** The word list found no agreement. */
  wordList: number;
  /** The judge had the answers it needs. */
  answered: number;
  /** The first answer is below the threshold. */
  first: number;
  /** The second answer is below the threshold; 0 when it was not asked. */
  second: number;
  /** The judge fails the write. */
  fails: number;
  /** The judge and the word list disagree. */
  disagree: number;
  /** The proposal check flagged a value. */
  otherChoice: number;
}

/** A write shown in the report. */
export interface ConfirmExample {
  readonly session: string;
  readonly turn: number;
  readonly agent: string;
  readonly fate: CallFate;
  readonly tool: string;
  readonly arguments: string;
  readonly proposal: string;
  readonly reply: string;
  readonly first: number | null;
  readonly second: number | null;
}

/** The kinds of disagreement, with their titles in the report. */
export const DISAGREEMENTS = {
  onlyJudge: "the judge fails the write, the word list finds an agreement",
  onlyWordList: "the word list finds no agreement, the judge passes the write",
} as const;
/** A kind of disagreement. */
export type Disagreement = keyof typeof DISAGREEMENTS;

/** Options for {@linkcode ConfirmTally}. */
export interface ConfirmTallyOptions {
  readonly rule: JudgeRule;
  /** The most examples kept per kind. */
  readonly examples: number;
  /** Returns the model's answers about a write. */
  answersOf(write: JudgedWrite): JudgeAnswers;
}

/** Counts the writes of sessions. */
export class ConfirmTally {
  readonly counts: Readonly<Record<CallFate, ConfirmCounts>> = {
    successful: zero(),
    failed: zero(),
    refusedByTool: zero(),
  };
  readonly examples: Readonly<Record<Disagreement, ConfirmExample[]>> = {
    onlyJudge: [],
    onlyWordList: [],
  };
  sessions = 0;
  /** Writes that an enforced rule refuses first. */
  guarded = 0;
  /** Writes without a recorded conversation. */
  unheard = 0;
  readonly #options: ConfirmTallyOptions;

  /** Starts with no session. */
  constructor(options: ConfirmTallyOptions) {
    this.#options = options;
  }

  /** Adds the writes of a session. */
  add({ episode, writes, guarded, unheard }: EpisodeWrites): void {
    this.sessions++;
    this.guarded += guarded;
    this.unheard += unheard;
    for (const write of writes) {
      const { answer } = write.call;
      const outcome = episode.reward >= 1 ? "successful" : "failed";
      this.#add(episode, write, answer?.error === true ? "refusedByTool" : outcome);
    }
  }

  #add(episode: EpisodeWrites["episode"], judgedWrite: JudgedWrite, fate: CallFate): void {
    const { rule, examples, answersOf } = this.#options;
    const { wordList, write, call, otherChoices } = judgedWrite;
    const answers = answersOf(judgedWrite);
    const verdict = judged(answers, rule);
    const counts = this.counts[fate];
    counts.writes++;
    if (wordList === false) counts.wordList++;
    if (verdict !== "abstains") counts.answered++;
    if (answers.first !== null && answers.first < rule.threshold) counts.first++;
    if (answers.second !== null && answers.second < rule.threshold) counts.second++;
    if (verdict === "fails") counts.fails++;
    if (otherChoices.length > 0) counts.otherChoice++;
    if (wordList === null || verdict === "abstains" || wordList === (verdict === "passes")) return;
    counts.disagree++;
    const kept = this.examples[wordList ? "onlyJudge" : "onlyWordList"];
    if (kept.length >= examples) return;
    kept.push({
      session: episode.id,
      turn: call.turn + 1,
      agent: episode.agent_model,
      fate,
      tool: write.tool,
      arguments: jsonText(write.arguments),
      proposal: write.proposal,
      reply: write.reply,
      ...answers,
    });
  }
}

function zero(): ConfirmCounts {
  return {
    writes: 0,
    wordList: 0,
    answered: 0,
    first: 0,
    second: 0,
    fails: 0,
    disagree: 0,
    otherChoice: 0,
  };
}
