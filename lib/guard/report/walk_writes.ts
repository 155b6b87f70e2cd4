/**
 * The writes of a recorded session that the confirmation judge would have been asked
 * about, with what it would have seen.
 *
 * @module
 */

import type { Course, CourseCall } from "../../trace/course.ts";
import { checkCall, refusalText } from "../check.ts";
import type { RuleSet } from "../rules/compile_rules.ts";
import type { ProposedWrite } from "../judge/confirm_question.ts";
import { Facts } from "../facts.ts";
import { wordListOf } from "../judge/judge.ts";
import { type OtherChoice, ProposalCheck } from "../judge/proposal_check.ts";
import { bareName } from "./walk_course.ts";

/** A write that would have been judged. */
export interface JudgedWrite {
  readonly call: CourseCall;
  readonly write: ProposedWrite;
  /** Whether the word list found an agreement. */
  readonly wordList: boolean | null;
  readonly otherChoices: readonly OtherChoice[];
}

/** The writes of a session. */
export interface CourseWrites {
  readonly course: Course;
  readonly writes: readonly JudgedWrite[];
  /** Answered writes that an enforced rule refuses first, so that no judge is asked. */
  readonly guarded: number;
  /** Answered writes before which nothing is known of the conversation. */
  readonly unheard: number;
}

/**
 * Finds the writes.
 *
 * @param rules The rules; a write is what their rule `*.confirmed` is for.
 * @param course The session.
 * @returns Its answered writes in the order they were sent.
 */
export function courseWrites(rules: RuleSet, course: Course): CourseWrites {
  const facts = new Facts(rules);
  const proposals = new ProposalCheck();
  const writes: JudgedWrite[] = [];
  let [guarded, unheard, hasHeard] = [0, 0, false];
  const check = (call: CourseCall) => {
    if (call.answer === undefined) return;
    const made = { tool: bareName(call.tool), arguments: call.arguments };
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
  for (const event of course.events) {
    if (event.kind === "heard") {
      hasHeard = true;
      facts.heard(event.text);
    } else if (event.kind === "said") facts.spoke(event.text ?? "");
    else if (event.kind === "sent") {
      for (const call of event.calls) if (call.by === "agent") check(call);
      if (event.text !== null) facts.spoke(event.text);
    } else {
      const { call } = event;
      // A commit makes its calls one after the other.
      if (call.by === "commit") check(call);
      if (call.answer === undefined) continue;
      facts.answered({ tool: bareName(call.tool), arguments: call.arguments, ...call.answer });
      if (!call.answer.error) proposals.answered(call.answer.content);
    }
  }
  return { course, writes, guarded, unheard };
}
