/**
 * The confirmation judge: asks a model whether the customer agreed to a write.
 *
 * It fails open: without an answer the write passes.
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
  /** Whether a write that fails is refused, not only logged. */
  readonly isEnforced: boolean;
  /** Asks the model, within the session's budget. */
  readonly asker: Asker;
  readonly monotonicMs: () => number;
}

/** Findings about a write that are logged beside the model's answers. */
export interface WriteContext {
  /** Whether the word list found an agreement; null when it could not tell. */
  readonly wordList: boolean | null;
  readonly otherChoices: readonly OtherChoice[];
}

/** The judgement of a write: its log entry, and the refusal if it is refused. */
export interface WriteJudgement {
  readonly entry: ConfirmEntry;
  readonly refusal: string | undefined;
}

/** Judges the writes of one session. */
export class ConfirmJudge {
  readonly #options: JudgeOptions;

  /** Makes the judge of one session. */
  constructor(options: JudgeOptions) {
    this.#options = options;
  }

  /** Whether a no refuses the call. */
  get isEnforced(): boolean {
    return this.#options.isEnforced;
  }

  /**
   * Judges a write that guards let pass. Never throws.
   *
   * @param write The write, and the messages before it.
   * @param context The other findings to log.
   * @returns The judgement.
   */
  async judge(write: ProposedWrite, context: WriteContext): Promise<WriteJudgement> {
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
      word_list: context.wordList,
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
      proposal_check: [...context.otherChoices],
      ...withoutAnswer([one, two]),
    };
    return {
      entry,
      refusal: isRefused ? judgeRefusal(write.tool, answers, this.#options) : undefined,
    };
  }

  #answer(write: ProposedWrite, request: OracleRequest): Promise<YesOrReason> {
    // No conversation was recorded; that does not mean the customer said nothing.
    if (write.proposal === "" && write.reply === "") {
      return Promise.resolve({ why: "no_conversation" });
    }
    return this.#options.asker.ask(request);
  }
}

/**
 * Reads the word list's verdict, that of the rule `*.confirmed`.
 *
 * @param rulings The verdicts on the call.
 * @returns Whether it found an agreement; null when it could not tell; undefined when no such
 * rule applies to the call, so that the judge is not asked.
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
