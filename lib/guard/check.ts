/**
 * Rules against a call: what each says, and the text the agent gets when an
 * enforced one refuses.
 *
 * @module
 */

import type { RuleSet } from "./rules/compile_rules.ts";
import type { Expression, ExpressionResult, Names } from "./rules/expressions.ts";
import { type AnsweredCall, type Facts, parsed } from "./facts.ts";
import {
  caseFor,
  type GuardedCall,
  type Rule,
  type RuleCase,
  type RuleVerdict,
} from "./rules/rule.ts";
import { Scope } from "./scope.ts";

/** What one rule said. */
export interface Ruling {
  readonly rule: Rule;
  readonly verdict: RuleVerdict;
}

/** The names of each session, as long as it lasts. */
const SCOPES = new WeakMap<Facts, Scope>();

/**
 * Checks a call before it is made.
 *
 * @param rules The rules.
 * @param call The call.
 * @param facts What the session has shown.
 * @returns What each rule for that tool says, in the order of the file. One that asks is unknown,
 *   and holds its question.
 */
export function checkCall(rules: RuleSet, call: GuardedCall, facts: Facts): Ruling[] {
  const check = new Check(rules, facts);
  const { turn } = call;
  const names = check.names({
    tool: call.tool,
    args: call.arguments,
    turn: turn === undefined ? {} : { calls: turn.calls, has_text: turn.hasText },
  });
  return rules.rules.flatMap((rule) =>
    rule.isOnAnswer ? [] : check.rulings(rule, call.tool, names)
  );
}

/**
 * Checks an answer against the rules that look at answers. They are logged, never enforced.
 *
 * @param rules The rules.
 * @param call The call with its answer.
 * @param facts What the session had shown before it.
 * @returns What each such rule says.
 */
export function checkAnswer(rules: RuleSet, call: AnsweredCall, facts: Facts): Ruling[] {
  if (call.error) return [];
  const check = new Check(rules, facts);
  const names = check.names({
    tool: call.tool,
    args: call.arguments,
    turn: {},
    result: parsed(call.content),
    text: call.content,
    it: null,
  });
  return rules.rules.flatMap((rule) =>
    rule.isOnAnswer ? check.rulings(rule, call.tool, names) : []
  );
}

/**
 * The text that answers a call which enforced rules refuse.
 *
 * @param tool The tool.
 * @param rulings What the rules said.
 * @returns The text; undefined when nothing stops the call.
 */
export function refusalText(tool: string, rulings: readonly Ruling[]): string | undefined {
  const refused = rulings.flatMap(({ rule, verdict }) =>
    rule.isEnforced && verdict.kind === "refuse" ? [{ id: rule.id, reason: verdict.reason }] : []
  );
  if (refused.length === 0) return undefined;
  const reasons = refused.map((r) => r.reason).join("; ");
  const ids = refused.map((r) => r.id).join(", ");
  return `${refusalStart(tool)}${reasons} (policy check ${ids}).`;
}

/**
 * How every refusal begins, also the judge's.
 *
 * @param tool The tool.
 * @returns Its first words.
 */
export function refusalStart(tool: string): string {
  return `Refused by the policy check, so ${tool} was not run and nothing changed: `;
}

/** Whether an answer is a refusal of ours. */
export function isRefusalText(content: string): boolean {
  return /^Refused by the policy check, so \S+ was not run and nothing changed: /.test(content);
}

class Check {
  readonly #rules: RuleSet;
  readonly #facts: Facts;

  constructor(rules: RuleSet, facts: Facts) {
    this.#rules = rules;
    this.#facts = facts;
  }

  names(given: Names): Names {
    const scope = SCOPES.get(this.#facts) ?? new Scope(this.#rules, this.#facts);
    SCOPES.set(this.#facts, scope);
    return scope.names(given);
  }

  rulings(rule: Rule, tool: string, names: Names): Ruling[] {
    const part = caseFor(rule, tool);
    return part === undefined ? [] : [{ rule, verdict: this.#verdict(part, names) }];
  }

  #verdict(part: RuleCase, names: Names): RuleVerdict {
    for (const need of part.needs) {
      const met = this.#holds(need, names);
      if (met !== true) return met;
    }
    if (part.ask !== undefined) {
      const [yes, no] = [this.#cleared(part, names), this.#refused(part, names)];
      return { kind: "unknown", asks: { question: part.ask, yes, no } };
    }
    if (part.refuse === undefined) return { kind: "unknown" };
    const refuses = this.#run(part.refuse, names);
    if (refuses.kind === "fault") return { kind: "unknown", fault: refuses.message };
    if (refuses.kind === "absent" || typeof refuses.value !== "boolean") return { kind: "unknown" };
    return refuses.value ? this.#refused(part, names) : this.#cleared(part, names);
  }

  #refused(part: RuleCase, names: Names): RuleVerdict {
    return { kind: "refuse", reason: this.#reason(part, names) };
  }

  /** The verdict where nothing refuses. */
  #cleared(part: RuleCase, names: Names): RuleVerdict {
    for (const sure of part.allows) {
      const met = this.#holds(sure, names);
      if (met !== true) return met;
    }
    return { kind: "allow" };
  }

  /** True, or the verdict that not holding means. */
  #holds(expression: Expression, names: Names): true | RuleVerdict {
    const outcome = this.#run(expression, names);
    if (outcome.kind === "fault") return { kind: "unknown", fault: outcome.message };
    return outcome.kind === "value" && outcome.value === true ? true : { kind: "unknown" };
  }

  #run(expression: Expression, names: Names): ExpressionResult {
    return this.#rules.expressions.run(expression, names, this.#facts);
  }

  #reason({ because }: RuleCase, names: Names): string {
    return because.map((part) => {
      if (typeof part === "string") return part;
      const outcome = this.#run(part, names);
      if (outcome.kind !== "value") return "?";
      const { value } = outcome;
      return typeof value === "object" ? JSON.stringify(value) : String(value);
    }).join("");
  }
}
