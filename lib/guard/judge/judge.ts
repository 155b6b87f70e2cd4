/**
 * The confirmation judge: asks whether the customer agreed to a write, through ports.
 *
 * It fails open: whoever cannot answer refuses nothing. It can only refuse.
 *
 * @module
 */

import { cacheKey, type OracleRequest } from "../../oracle/question.ts";
import { type Asker, withoutAnswer, type YesOrReason } from "./asker.ts";
import type { Ruling } from "../check.ts";
import type { ConfirmEntry } from "./confirm_log.ts";
import { agreementQuestion, type ProposedWrite, secondQuestion } from "./confirm_question.ts";
import { judged, judgeRefusal, type JudgeRule } from "./judge_verdict.ts";
import type { OtherChoice } from "./proposal_check.ts";

/** Options for {@linkcode ConfirmJudge}. */
export interface JudgeOptions extends JudgeRule {
  /** Whether a write that fails is refused. */
  readonly isEnforced: boolean;
  /** Asks, within the session's budget. */
  readonly asker: Asker;
  readonly monotonicMs: () => number;
}

/** What is known of a write besides what is asked. */
export interface WriteContext {
  /** The word list's verdict: whether it found an agreement; null when it did not know. */
  readonly wordList: boolean | null;
  readonly otherChoices: readonly OtherChoice[];
}

/** A judgement: the line for the log, and the refusal if the write is refused. */
export interface WriteJudgement {
  readonly entry: ConfirmEntry;
  readonly refusal: string | undefined;
}

/** Judges the writes of one session. */
export class ConfirmJudge {
  readonly #options: JudgeOptions;

  /** Makes a judge. */
  constructor(options: JudgeOptions) {
    this.#options = options;
  }

  /**
   * Judges a write that the guards let pass.
   *
   * @param write The write and what was said before it.
   * @param beside What is logged beside the answers.
   * @returns The judgement; never throws.
   */
  async judge(write: ProposedWrite, beside: WriteContext): Promise<WriteJudgement> {
    const { asker: { model }, second, isEnforced, monotonicMs } = this.#options;
    const began = monotonicMs();
    const requests = [agreementQuestion(model, write)];
    if (second !== undefined) requests.push(secondQuestion(model, write, second.wording));
    const [one, two] = await Promise.all(requests.map((request) => this.#answer(write, request)));
    const answers = { first: pOf(one), second: pOf(two) };
    const verdict = judged(answers, this.#options);
    const isRefused = isEnforced && verdict === "fails";
    const [key, secondKey] = requests.map(cacheKey);
    const entry: ConfirmEntry = {
      tool: write.tool,
      arguments: write.arguments,
      word_list: beside.wordList,
      p_yes: answers.first,
      ...(second === undefined
        ? {}
        : { p_second: answers.second, second: second.wording, second_key: secondKey ?? null }),
      ...(second?.isShadow === true ? { second_shadow: true } : {}),
      fails: verdict === "fails",
      enforced: isRefused,
      unknown: verdict === "abstains",
      key: key ?? null,
      ms: Math.max(0, Math.round(monotonicMs() - began)),
      proposal_check: [...beside.otherChoices],
      ...withoutAnswer([one, two]),
    };
    return {
      entry,
      refusal: isRefused ? judgeRefusal(write.tool, answers, this.#options) : undefined,
    };
  }

  #answer(write: ProposedWrite, request: OracleRequest): Promise<YesOrReason> {
    // A host that writes nothing down is no customer who says nothing.
    if (write.proposal === "" && write.reply === "") {
      return Promise.resolve({ why: "no_conversation" });
    }
    return this.#options.asker.ask(request);
  }
}

/**
 * The word list's verdict: what the rule `*.confirmed` says of a call.
 *
 * @param rulings What the rules said.
 * @returns True or false as it found an agreement or not, null when it did not know; undefined
 * when no such rule is for this call, so that no judge is asked.
 */
export function wordListOf(rulings: readonly Ruling[]): boolean | null | undefined {
  const ruling = rulings.find(({ rule }) => rule.id.endsWith(".confirmed"));
  if (ruling === undefined) return undefined;
  const { kind } = ruling.verdict;
  return kind === "unknown" ? null : kind === "allow";
}

function pOf(answered: YesOrReason | undefined): number | null {
  return answered !== undefined && "p" in answered ? answered.p : null;
}
