/**
 * The questions of rules that only a model can decide, asked on a running session.
 *
 * A rule that is only logged holds no call up: it is asked while the call is under way. An
 * enforced one is waited for, and refuses on a clear no alone: whoever does not answer
 * refuses nothing.
 *
 * @module
 */

import { type Asker, withoutAnswer, type YesOrReason } from "../../guard/judge/asker.ts";
import type { Ruling } from "../../guard/check.ts";
import type { ConfirmEntry } from "../../guard/judge/confirm_log.ts";
import { type AskedCall, ruleQuestion } from "../../guard/judge/rule_question.ts";
import { type OpenQuestion, questionOf, type Rule, verdictFor } from "../../guard/rules/rule.ts";
import { reasonOf } from "../../text/reason.ts";
import { cacheKey } from "../../oracle/question.ts";

/** Options for {@linkcode RuleQuestions}. */
export interface RuleQuestionsOptions {
  readonly asker: Asker;
  readonly monotonicMs: () => number;
  /** Takes an answer, or why there is none, for the log. */
  readonly log: (entry: ConfirmEntry) => void;
  /** Is told what went wrong. */
  readonly say: (line: string) => void;
}

/** The questions of one session. */
export class RuleQuestions {
  readonly #options: RuleQuestionsOptions;
  readonly #underWay = new Set<Promise<Ruling>>();
  readonly #end = Promise.withResolvers<YesOrReason>();

  /** Starts with none asked. */
  constructor(options: RuleQuestionsOptions) {
    this.#options = options;
  }

  /**
   * Asks what rules came to. The call is looked at before this returns.
   *
   * @param call The call.
   * @param rulings What the rules said of it.
   * @returns What enforced rules that asked say with their answers, never rejecting; undefined
   *   where none asked.
   */
  ask(call: AskedCall, rulings: readonly Ruling[]): Promise<readonly Ruling[]> | undefined {
    const waited: Promise<Ruling>[] = [];
    for (const { rule, verdict } of rulings) {
      const open = questionOf(verdict);
      if (open === undefined) continue;
      const asked = this.#ask(call, rule, open).catch((error): Ruling => {
        const why = reasonOf(error);
        this.#options.say(`rule "${rule.id}" asks nothing and counts as unknown: ${why}`);
        return { rule, verdict: { kind: "unknown" } };
      });
      this.#underWay.add(asked);
      asked.then(() => this.#underWay.delete(asked));
      if (rule.isEnforced) waited.push(asked);
    }
    return waited.length === 0 ? undefined : Promise.all(waited);
  }

  /** The session ends: what is not answered is logged as that. */
  async end(): Promise<void> {
    this.#end.resolve({ why: "session_ended" });
    await Promise.all(this.#underWay);
  }

  async #ask(call: AskedCall, rule: Rule, open: OpenQuestion): Promise<Ruling> {
    const { asker, monotonicMs, log } = this.#options;
    const began = monotonicMs();
    const request = ruleQuestion(asker.model, call, open.question);
    const answer = await Promise.race([asker.ask(request), this.#end.promise]);
    const p = "p" in answer ? answer.p : undefined;
    const verdict = verdictFor(open, p);
    const fails = verdict.kind === "refuse";
    log({
      rule: rule.id,
      tool: call.tool,
      arguments: call.arguments,
      word_list: null,
      p_yes: p ?? null,
      fails,
      enforced: fails && rule.isEnforced,
      unknown: verdict.kind === "unknown",
      key: cacheKey(request),
      ms: Math.max(0, Math.round(monotonicMs() - began)),
      proposal_check: [],
      ...withoutAnswer([answer]),
    });
    return { rule, verdict };
  }
}
