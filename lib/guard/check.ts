/**
 * Checks a call, or an answer, against rules, and words the refusal.
 *
 * @module
 */

import { ambiguousKey } from "../json/ambiguous_key.ts";
import type { JsonObject } from "../json/json.ts";
import type { RuleSet } from "./rules/compile_rules.ts";
import type { Expression, ExpressionResult, Names } from "./rules/expressions.ts";
import { type AnsweredCall, type Facts, parsedOrText } from "./facts.ts";
import {
  caseFor,
  type GuardedCall,
  type Rule,
  type RuleCase,
  type RuleVerdict,
} from "./rules/rule.ts";
import { Scope } from "./scope.ts";

/** One rule's verdict. */
export interface Ruling {
  readonly rule: Rule;
  readonly verdict: RuleVerdict;
}

/** The scope of each session, built on its first check. */
const SCOPES = new WeakMap<Facts, Scope>();

/**
 * Checks a call before it is made.
 *
 * @param rules The rules.
 * @param call The call.
 * @param facts The session's facts.
 * @returns The verdict of each rule for that tool, in file order. A rule that asks a model is
 *   unknown and carries its question.
 */
export function checkCall(rules: RuleSet, call: GuardedCall, facts: Facts): Ruling[] {
  if (!rules.concerns(call.tool)) return [];
  const check = new Check(rules, facts);
  const { turn } = call;
  const names = check.names({
    tool: call.tool,
    args: call.arguments,
    turn: turn === undefined ? {} : { calls: turn.calls, has_text: turn.hasText },
  });
  const ambiguity = call.ambiguity ?? otherCase(call.arguments, rules);
  const read = ambiguity === undefined ? call : { ...call, ambiguity };
  return rules.rules.flatMap((rule) => rule.isOnAnswer ? [] : check.rulings(rule, read, names));
}

/** Why rules cannot judge arguments one of which differs in case from one that they read. */
function otherCase(
  args: JsonObject,
  { expressions: { argumentNames } }: RuleSet,
): string | undefined {
  for (const given of Object.keys(args)) {
    if (argumentNames.has(given)) continue;
    const meant = [...argumentNames].find((name) => name.toLowerCase() === given.toLowerCase());
    if (meant === undefined) continue;
    return `its argument ${JSON.stringify(given)} is ${JSON.stringify(meant)} to servers that ` +
      "ignore case";
  }
  return undefined;
}

/**
 * Says why a rule cannot judge arguments.
 *
 * @param text The arguments as JSON text, as the agent wrote them.
 * @returns The reason; undefined when every server reads them in the same way.
 */
export function ambiguityOf(text: string): string | undefined {
  const [key, other] = ambiguousKey(text) ?? [];
  if (key === undefined) return undefined;
  const what = key === other
    ? `the key ${JSON.stringify(key)} twice`
    : `the keys ${JSON.stringify(other)} and ${JSON.stringify(key)}`;
  return `its arguments have ${what}, which servers read in different ways`;
}

/**
 * Checks an answer against the rules for answers. Their verdicts are logged, never enforced.
 *
 * @param rules The rules.
 * @param call The call with its answer.
 * @param facts The session's facts before the answer.
 * @returns The verdict of each such rule.
 */
export function checkAnswer(rules: RuleSet, call: AnsweredCall, facts: Facts): Ruling[] {
  if (call.error) return [];
  const check = new Check(rules, facts);
  const names = check.names({
    tool: call.tool,
    args: call.arguments,
    turn: {},
    result: parsedOrText(call.content),
    text: call.content,
    it: null,
  });
  return rules.rules.flatMap((rule) => rule.isOnAnswer ? check.rulings(rule, call, names) : []);
}

/**
 * Words the answer to a call that enforced rules refuse.
 *
 * @param tool The tool.
 * @param rulings The verdicts on the call.
 * @returns The text; undefined when no enforced rule refuses.
 */
export function refusalText(tool: string, rulings: readonly Ruling[]): string | undefined {
  const refused = rulings.flatMap(({ rule, verdict }) =>
    rule.isEnforced && verdict.kind === "refuse" ? [{ id: rule.id, reason: verdict.reason }] : []
  );
  if (refused.length === 0) return undefined;
  const reasons = [...new Set(refused.map((r) => r.reason))].join("; ");
  const ids = refused.map((r) => r.id).join(", ");
  return `${refusalStart(tool)}${reasons} (policy check ${ids}).`;
}

/** A rule that wants a person's yes, and why. */
export interface WantedApproval {
  readonly rule: string;
  readonly reason: string;
}

/**
 * Why enforced rules want a person to say yes before the call is made.
 *
 * @param rulings The verdicts on the call.
 * @returns One entry a rule; none when nobody has to be asked.
 */
export function wantedApprovals(rulings: readonly Ruling[]): WantedApproval[] {
  return rulings.flatMap(({ rule, verdict }) =>
    rule.isEnforced && verdict.kind === "approve" ? [{ rule: rule.id, reason: verdict.reason }] : []
  );
}

/**
 * The first words of every refusal, the judge's too.
 *
 * @param tool The tool.
 * @returns The words.
 */
export function refusalStart(tool: string): string {
  return `Refused by the policy check, so ${tool} was not run and nothing changed: `;
}

/** Whether an answer is a refusal by guards or the judge. */
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

  /** The verdict of a rule; none when it is not for the tool. */
  rulings(rule: Rule, { tool, ambiguity }: GuardedCall, names: Names): Ruling[] {
    const part = caseFor(rule, tool);
    if (part === undefined) return [];
    if (ambiguity === undefined || !part.readsArguments) {
      return [{ rule, verdict: this.#verdict(part, names) }];
    }
    const verdict: RuleVerdict = rule.isEnforced
      ? { kind: "refuse", reason: ambiguity }
      : { kind: "unknown", fault: ambiguity };
    return [{ rule, verdict }];
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
    if (part.approve !== undefined) return this.#approved(part, part.approve, names);
    if (part.refuse === undefined) return { kind: "unknown" };
    const refuses = this.#run(part.refuse, names);
    if (refuses.kind === "fault") return { kind: "unknown", fault: refuses.message };
    if (refuses.kind === "absent" || typeof refuses.value !== "boolean") return { kind: "unknown" };
    return refuses.value ? this.#refused(part, names) : this.#cleared(part, names);
  }

  #refused(part: RuleCase, names: Names): RuleVerdict {
    return { kind: "refuse", reason: this.#reason(part, names) };
  }

  /** Whether a person is to be asked; one is where the condition cannot be told. */
  #approved(part: RuleCase, condition: Expression, names: Names): RuleVerdict {
    const asks = this.#run(condition, names);
    if (asks.kind === "value" && asks.value === false) return this.#cleared(part, names);
    const doubt = asks.kind === "value" ? "" : " (its condition could not be checked)";
    return { kind: "approve", reason: this.#reason(part, names) + doubt };
  }

  /** The verdict when the rule does not refuse. */
  #cleared(part: RuleCase, names: Names): RuleVerdict {
    for (const sure of part.allows) {
      const met = this.#holds(sure, names);
      if (met !== true) return met;
    }
    return { kind: "allow" };
  }

  /** True when the condition holds, else the verdict of the rule. */
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
