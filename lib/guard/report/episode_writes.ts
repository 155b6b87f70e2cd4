/**
 * Finds the writes of a recorded session that the confirmation judge would be asked about,
 * each with the messages that it would see.
 *
 * @module
 */

import type { Episode, EpisodeCall } from "../../trace/episode.ts";
import { checkCall, refusalText } from "../check.ts";
import type { RuleSet } from "../rules/compile_rules.ts";
import type { ProposedWrite } from "../judge/confirm_question.ts";
import type { Facts } from "../facts.ts";
import { wordListOf } from "../judge/judge.ts";
import { type OtherChoice, ProposalCheck } from "../judge/proposal_check.ts";
import { walkEpisode } from "./walk_episode.ts";

/** A write that the judge would be asked about. */
export interface JudgedWrite {
  readonly call: EpisodeCall;
  readonly write: ProposedWrite;
  /** Whether the word list found an agreement. */
  readonly wordList: boolean | null;
  readonly otherChoices: readonly OtherChoice[];
}

/** The writes of a session. */
export interface EpisodeWrites {
  readonly episode: Episode;
  readonly writes: readonly JudgedWrite[];
  /** Answered writes that an enforced rule refuses, so that the judge is not asked. */
  readonly guarded: number;
  /** Answered writes without a recorded conversation. */
  readonly unheard: number;
}

/**
 * Finds the writes of a session.
 *
 * @param rules The rules; their rule `*.confirmed` says which calls are writes.
 * @param episode The session.
 * @returns Its answered writes in the order they were sent.
 */
export function episodeWrites(rules: RuleSet, episode: Episode): EpisodeWrites {
  const proposals = new Map<Facts, ProposalCheck>();
  const writes: JudgedWrite[] = [];
  let [guarded, unheard] = [0, 0];
  const proposalsOf = (facts: Facts) => {
    const known = proposals.get(facts) ?? new ProposalCheck();
    proposals.set(facts, known);
    return known;
  };
  walkEpisode(rules, episode, {
    onCall(call, made, facts) {
      if (call.answer === undefined) return;
      const rulings = checkCall(rules, made, facts);
      const wordList = wordListOf(rulings);
      if (wordList === undefined) return;
      if (!facts.hasHeard) unheard++;
      else if (refusalText(made.tool, rulings) !== undefined) guarded++;
      else {
        const { tool, arguments: args } = made;
        const write = { tool, arguments: args, ...facts.exchanged() };
        const otherChoices = proposalsOf(facts).otherChoices(write);
        writes.push({ call, write, wordList, otherChoices });
      }
    },
    onAnswer(_call, answered, facts) {
      if (!answered.error) proposalsOf(facts).answered(answered.content);
    },
  });
  return { episode, writes, guarded, unheard };
}
