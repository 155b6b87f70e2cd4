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
import { Facts } from "../facts.ts";
import { wordListOf } from "../judge/judge.ts";
import { type OtherChoice, ProposalCheck } from "../judge/proposal_check.ts";
import { bareName } from "./walk_episode.ts";

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
  const facts = new Facts(rules);
  const proposals = new ProposalCheck();
  const writes: JudgedWrite[] = [];
  let [guarded, unheard, hasHeard] = [0, 0, false];
  const check = (call: EpisodeCall) => {
    if (call.answer === undefined) return;
    const made = { tool: bareName(call.name), arguments: call.arguments };
    const rulings = checkCall(rules, made, facts);
    const wordList = wordListOf(rulings);
    if (wordList === undefined) return;
    if (!hasHeard) unheard++;
    else if (refusalText(made.tool, rulings) !== undefined) guarded++;
    else {
      const write = { ...made, ...facts.exchanged() };
      writes.push({ call, write, wordList, otherChoices: proposals.otherChoices(write) });
    }
  };
  for (const event of episode.events) {
    if (event.kind === "user") {
      hasHeard = true;
      facts.heard(event.text);
    } else if (event.kind === "assistant" && event.calls.length === 0) {
      facts.spoke(event.text ?? "");
    } else if (event.kind === "assistant") {
      for (const call of event.calls) if (call.by === "agent") check(call);
      if (event.text !== null) facts.spoke(event.text);
    } else {
      const { call } = event;
      // A commit makes its calls one after another.
      if (call.by === "commit") check(call);
      if (call.answer === undefined) continue;
      facts.answered({ tool: bareName(call.name), arguments: call.arguments, ...call.answer });
      if (!call.answer.error) proposals.answered(call.answer.content);
    }
  }
  return { episode, writes, guarded, unheard };
}
