/**
 * Policy rules, their questions, and the confirmation judge, in front of the calls of one session.
 *
 * A rule that goes wrong counts as unknown, and is said once. Questions are asked, and the
 * judge sees a call, where the rules alone let it pass.
 *
 * @module
 */

import type { Asker } from "../../guard/judge/asker.ts";
import {
  ambiguityOf,
  checkCall,
  refusalStart,
  refusalText,
  type Ruling,
} from "../../guard/check.ts";
import type { GuardedCall } from "../../guard/rules/rule.ts";
import type { RuleSet } from "../../guard/rules/compile_rules.ts";
import { type ConfirmEntry, confirmLine } from "../../guard/judge/confirm_log.ts";
import { type AnsweredCall, Facts } from "../../guard/facts.ts";
import { type ConfirmJudge, wordListOf } from "../../guard/judge/judge.ts";
import { ProposalCheck } from "../../guard/judge/proposal_check.ts";
import { spanText, valueAt } from "../../json/json_spans.ts";
import { reasonOf } from "../../text/reason.ts";
import {
  type Crossing,
  type Hearing,
  type Interceptor,
  PASS,
  refuseCall,
  type Verdict,
} from "../chain/interceptor.ts";
import { RuleQuestions } from "./rule_questions.ts";

/** What the guards of one session go through. */
export interface GuardPorts {
  readonly judge?: ConfirmJudge;
  /** Asks the questions of rules; absent, they stay unknown. */
  readonly asker?: Asker;
  readonly monotonicMs: () => number;
  /** Appends a line, without its newline, to the confirm log. */
  readonly confirmLog: (line: string) => void;
  readonly say: (line: string) => void;
}

/** The guards of one session. */
export class GuardInterceptor implements Interceptor, Hearing {
  readonly name = "guard";
  readonly mayRefuse: boolean;
  readonly #rules: RuleSet;
  readonly #options: GuardPorts;
  readonly #facts: Facts;
  readonly #questions: RuleQuestions | undefined;
  readonly #proposals = new ProposalCheck();
  readonly #said = new Set<string>();
  /** Calls under way whose arguments can be read in two ways, by the chain's name for them. */
  readonly #ambiguous = new Map<string, { readonly ambiguity: string }>();

  /**
   * Guards a session that has shown nothing.
   *
   * @param rules The rules.
   * @param options The judge, who is asked, and who is told.
   */
  constructor(rules: RuleSet, options: GuardPorts) {
    this.#rules = rules;
    this.#options = options;
    this.mayRefuse = rules.rules.some(({ isEnforced }) => isEnforced) ||
      (options.judge?.isEnforced ?? false);
    this.#facts = new Facts(rules);
    const { asker, monotonicMs } = options;
    this.#questions = asker &&
      new RuleQuestions({
        asker,
        monotonicMs,
        log: (entry) => this.#log(entry),
        say: (line) => this.#once(line),
      });
  }

  onMessage(crossing: Crossing): Verdict | Promise<Verdict> {
    if (crossing.kind === "answer") {
      const { call, answer } = crossing;
      if (call && answer) {
        const { tool, arguments: args, name } = call;
        this.answered({ tool, arguments: args, ...answer, ...this.#ambiguous.get(name) });
        this.#ambiguous.delete(name);
      }
      return PASS;
    }
    if (crossing.kind === "cancel" && crossing.call) this.#ambiguous.delete(crossing.call.name);
    if (crossing.kind !== "request" || crossing.call === undefined) return PASS;
    const { call, message } = crossing;
    // A resumed call was checked when it began; rules judge what the agent does, not lookups.
    if (call.isResumed || call.isLookup || !this.#rules.concerns(call.tool)) return PASS;
    const args = valueAt(message.bytes, message.params, "arguments");
    const ambiguity = args && ambiguityOf(spanText(message.bytes, args));
    if (ambiguity !== undefined) this.#ambiguous.set(call.name, { ambiguity });
    const refusal = this.check(ambiguity === undefined ? call : { ...call, ambiguity });
    return refusal instanceof Promise ? refusal.then(verdictOf) : verdictOf(refusal);
  }

  heard(role: "user" | "assistant", text: string): void {
    if (role === "user") this.#facts.heard(text);
    else this.#facts.spoke(text);
  }

  /**
   * Checks a call before the server sees it.
   *
   * @param call The call.
   * @returns What the agent is told instead of an answer; undefined if the call may be made.
   */
  check(call: GuardedCall): string | undefined | Promise<string | undefined> {
    const rulings = checkCall(this.#rules, call, this.#facts);
    for (const { rule, verdict } of rulings) {
      if (verdict.kind === "unknown" && verdict.fault !== undefined) {
        this.#once(`rule "${rule.id}" counts as unknown: ${verdict.fault}`);
      }
    }
    const refusal = refusalText(call.tool, rulings);
    if (refusal !== undefined) return refusal;
    const wordList = wordListOf(rulings);
    const { judge } = this.#options;
    if (call.ambiguity !== undefined && judge?.isEnforced === true && wordList !== undefined) {
      return `${refusalStart(call.tool)}${call.ambiguity} (confirmation judge).`;
    }
    const asked = this.#ask(call, rulings);
    const judged = judge && wordList !== undefined ? this.#judge(judge, call, wordList) : undefined;
    if (asked === undefined) return judged;
    return Promise.all([asked, judged]).then(([ruled, word]) => ruled ?? word);
  }

  /** The session ends: nothing is answered any more. */
  async end(): Promise<void> {
    await this.#questions?.end();
  }

  /** Takes the answer to a call. */
  answered(call: AnsweredCall): void {
    try {
      this.#facts.answered(call);
      if (!call.error && this.#options.judge !== undefined) this.#proposals.answered(call.content);
    } catch (error) {
      this.#once(`the guards could not read an answer of ${call.tool}: ${reasonOf(error)}`);
    }
    for (const fault of this.#facts.faults) this.#once(fault);
  }

  /** Asks the rules' questions; what enforced ones refuseCall, where one asked. Never rejects. */
  #ask(call: GuardedCall, rulings: readonly Ruling[]): Promise<string | undefined> | undefined {
    const asked = { tool: call.tool, arguments: call.arguments, dialogue: this.#facts.dialogue() };
    return this.#questions?.ask(asked, rulings)?.then((says) => refusalText(call.tool, says));
  }

  async #judge(
    judge: ConfirmJudge,
    call: GuardedCall,
    wordList: boolean | null,
  ): Promise<string | undefined> {
    try {
      const write = { tool: call.tool, arguments: call.arguments, ...this.#facts.exchanged() };
      const otherChoices = this.#proposals.otherChoices(write);
      const { entry, refusal } = await judge.judge(write, { wordList, otherChoices });
      this.#log(entry);
      return refusal;
    } catch (error) {
      this.#once(`the confirmation judge went wrong and refuses nothing: ${reasonOf(error)}`);
      return undefined;
    }
  }

  #log(entry: ConfirmEntry): void {
    this.#options.confirmLog(confirmLine(entry).trimEnd());
  }

  #once(words: string): void {
    if (this.#said.has(words)) return;
    this.#said.add(words);
    this.#options.say(words);
  }
}

function verdictOf(refusal: string | undefined): Verdict {
  return refusal === undefined ? PASS : refuseCall(refusal);
}
