/**
 * Rules against a call: what each says, and the text the agent gets when an
 * enforced one refuses.
 *
 * @module
 */

import type { RuleSet } from "./compile_rules.ts";
import type { Expression, Names, Outcome } from "./expressions.ts";
import { type AnsweredCall, type Facts, parsed } from "./facts.ts";
import { caseFor, type GuardedCall, type Rule, type RuleCase, type Verdict } from "./rule.ts";
import { Scope } from "./scope.ts";

/** What one rule said. */
export interface Ruling {
  readonly rule: Rule;
  readonly verdict: Verdict;
}

/** Options for {@linkcode checkCall}. */
export interface CheckOptions {
  /**
   * Answers to the questions of rules that ask: the probability of yes by rule id.
   *
   * @default {none, so that such rules are unknown}
   */
  readonly answers?: ReadonlyMap<string, number>;
}

/** The names of each session, as long as it lasts. */
const SCOPES = new WeakMap<Facts, Scope>();

/** At and above this a rule's question counts as answered yes. */
const YES = 0.5;

/**
 * Checks a call before it is made.
 *
 * @param rules The rules.
 * @param call The call.
 * @param facts What the session has shown.
 * @param options Answers to questions.
 * @returns What each rule for that tool says, in the order of the file.
 */
export function checkCall(
  rules: RuleSet,
  call: GuardedCall,
  facts: Facts,
  options: CheckOptions = {},
): Ruling[] {
  const check = new Check(rules, facts, options);
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
  const check = new Check(rules, facts, {});
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
  readonly #options: CheckOptions;

  constructor(rules: RuleSet, facts: Facts, options: CheckOptions) {
    this.#rules = rules;
    this.#facts = facts;
    this.#options = options;
  }

  names(given: Names): Names {
    const scope = SCOPES.get(this.#facts) ?? new Scope(this.#rules, this.#facts);
    SCOPES.set(this.#facts, scope);
    return scope.names(given);
  }

  rulings(rule: Rule, tool: string, names: Names): Ruling[] {
    const part = caseFor(rule, tool);
    return part === undefined ? [] : [{ rule, verdict: this.#verdict(rule.id, part, names) }];
  }

  #verdict(id: string, part: RuleCase, names: Names): Verdict {
    for (const need of part.needs) {
      const met = this.#holds(need, names);
      if (met !== true) return met;
    }
    const refuses = part.refuse === undefined ? this.#answer(id) : this.#run(part.refuse, names);
    if (refuses.kind === "fault") return { kind: "unknown", fault: refuses.message };
    if (refuses.kind === "absent" || typeof refuses.value !== "boolean") return { kind: "unknown" };
    if (refuses.value) return { kind: "refuse", reason: this.#reason(part, names) };
    for (const sure of part.allows) {
      const met = this.#holds(sure, names);
      if (met !== true) return met;
    }
    return { kind: "allow" };
  }

  /** Whether the answer to the rule's question is no; absent when nobody answered. */
  #answer(id: string): Outcome {
    const yes = this.#options.answers?.get(id);
    return yes === undefined ? { kind: "absent" } : { kind: "value", value: yes < YES };
  }

  /** True, or the verdict that not holding means. */
  #holds(expression: Expression, names: Names): true | Verdict {
    const outcome = this.#run(expression, names);
    if (outcome.kind === "fault") return { kind: "unknown", fault: outcome.message };
    return outcome.kind === "value" && outcome.value === true ? true : { kind: "unknown" };
  }

  #run(expression: Expression, names: Names): Outcome {
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
