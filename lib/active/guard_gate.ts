/**
 * Policy rules, and the confirmation judge, before the calls of one session.
 *
 * A rule that goes wrong counts as unknown, and is said once. The judge sees what
 * the rules let pass.
 *
 * @module
 */

import { checkCall, refusalText, type Ruling } from "../guard/check.ts";
import type { RuleSet } from "../guard/compile_rules.ts";
import { confirmLine } from "../guard/confirm_log.ts";
import { Facts } from "../guard/facts.ts";
import { type ConfirmJudge, wordListOf } from "../guard/judge.ts";
import { ProposalCheck } from "../guard/proposal_check.ts";
import type { CallGate, GateAnswer, GatedCall } from "./parts.ts";

/** Options for {@linkcode GuardGate}. */
export interface GuardGateOptions {
  readonly judge?: ConfirmJudge;
  /** Appends a line, without its newline, to the confirm log. */
  readonly confirmLog: (line: string) => void;
  readonly say: (line: string) => void;
}

/** The gate of one session. */
export class GuardGate implements CallGate {
  readonly #rules: RuleSet;
  readonly #options: GuardGateOptions;
  readonly #facts: Facts;
  readonly #proposals = new ProposalCheck();
  readonly #said = new Set<string>();

  /**
   * Makes a gate of a session that has shown nothing.
   *
   * @param rules The rules.
   * @param options The judge, and who is told.
   */
  constructor(rules: RuleSet, options: GuardGateOptions) {
    this.#rules = rules;
    this.#options = options;
    this.#facts = new Facts(rules);
  }

  heard(role: "user" | "assistant", text: string): void {
    if (role === "user") this.#facts.heard(text);
    else this.#facts.spoke(text);
  }

  check(call: GatedCall): string | undefined | Promise<string | undefined> {
    let rulings: Ruling[];
    try {
      rulings = checkCall(this.#rules, call, this.#facts);
    } catch (error) {
      this.#once(`the guards could not check ${call.tool}: ${messageOf(error)}`);
      return undefined;
    }
    for (const { rule, verdict } of rulings) {
      if (verdict.kind === "unknown" && verdict.fault !== undefined) {
        this.#once(`rule "${rule.id}" counts as unknown: ${verdict.fault}`);
      }
    }
    const refusal = refusalText(call.tool, rulings);
    const wordList = wordListOf(rulings);
    if (refusal !== undefined || wordList === undefined) return refusal;
    return this.#options.judge === undefined ? undefined : this.#judge(call, wordList);
  }

  answered(call: GateAnswer): void {
    try {
      this.#facts.answered(call);
      if (!call.error && this.#options.judge !== undefined) this.#proposals.answered(call.content);
    } catch (error) {
      this.#once(`the guards could not read an answer of ${call.tool}: ${messageOf(error)}`);
    }
    for (const fault of this.#facts.faults) this.#once(fault);
  }

  async #judge(call: GatedCall, wordList: boolean | null): Promise<string | undefined> {
    try {
      const write = { tool: call.tool, arguments: call.arguments, ...this.#facts.exchanged() };
      const otherChoices = this.#proposals.otherChoices(write);
      const judgement = await this.#options.judge?.judge(write, { wordList, otherChoices });
      if (judgement !== undefined) this.#options.confirmLog(confirmLine(judgement.entry).trimEnd());
      return judgement?.refusal;
    } catch (error) {
      this.#once(`the confirmation judge went wrong and refuses nothing: ${messageOf(error)}`);
      return undefined;
    }
  }

  #once(words: string): void {
    if (this.#said.has(words)) return;
    this.#said.add(words);
    this.#options.say(words);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
