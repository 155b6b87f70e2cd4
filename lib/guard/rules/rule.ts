/**
 * The types of a compiled rule and of its verdicts.
 *
 * A verdict is allow, refuse, approve or unknown. A refusal by an enforced rule stops a call,
 * and approve holds it until a person has said yes.
 *
 * @module
 */

import type { JsonObject } from "../../json/json.ts";
import type { CallTurn } from "../../trace/episode.ts";
import type { Expression } from "./expressions.ts";

/** A rule's verdict on a call. */
export type RuleVerdict =
  | { readonly kind: "allow" }
  | { readonly kind: "refuse"; readonly reason: string }
  /** A person has to say yes first. */
  | { readonly kind: "approve"; readonly reason: string }
  /** The session lacks a fact that the rule needs, or the rule failed (`fault`), or a model decides (`asks`). */
  | { readonly kind: "unknown"; readonly fault?: string; readonly asks?: OpenQuestion };

/** A question that a model must answer, and the verdict for each answer. */
export interface OpenQuestion {
  readonly question: RuleQuestion;
  readonly yes: RuleVerdict;
  readonly no: RuleVerdict;
}

/** A tool call that has not been made yet. */
export interface GuardedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  /** The agent's turn that holds the call: its number of calls, and whether it has text. Absent when not known. */
  readonly turn?: CallTurn;
  /** Why its arguments can be read in two ways; absent when they cannot. */
  readonly ambiguity?: string;
}

/** A part of a reason: literal text, or an expression that computes text. */
export type ReasonPart = string | Expression;

/** A yes-or-no question for a model. A no refuses the call. */
export interface RuleQuestion {
  readonly question: string;
  /** The criterion for yes. */
  readonly yes: string;
  /** The criterion for no. */
  readonly no: string;
}

/** The question that a verdict waits for; undefined when it waits for none. */
export function questionOf(verdict: RuleVerdict): OpenQuestion | undefined {
  return verdict.kind === "unknown" ? verdict.asks : undefined;
}

/** A probability of yes from YES up counts as yes, one up to NO as no. */
const YES = 0.8;
const NO = 0.2;

/**
 * Turns a model's answer into a verdict.
 *
 * @param open The question.
 * @param p The probability of yes; undefined when there is no answer.
 * @returns The verdict; unknown when the answer is neither a clear yes nor a clear no.
 */
export function verdictFor(open: OpenQuestion, p: number | undefined): RuleVerdict {
  if (p === undefined) return { kind: "unknown" };
  if (p <= NO) return open.no;
  return p >= YES ? open.yes : { kind: "unknown" };
}

/** The part of a rule that applies to one set of tools. */
export interface RuleCase {
  readonly tools: ReadonlySet<string>;
  /** Whether it applies to every tool. */
  readonly isForAll: boolean;
  /** Whether its verdict depends on the call's arguments. */
  readonly readsArguments: boolean;
  readonly needs: readonly Expression[];
  /** Undefined when a question or a person decides. */
  readonly refuse: Expression | undefined;
  /** When a person has to say yes; undefined when nobody is asked. */
  readonly approve: Expression | undefined;
  /** Conditions under which a call that is not refused counts as allowed. */
  readonly allows: readonly Expression[];
  readonly ask: RuleQuestion | undefined;
  readonly because: readonly ReasonPart[];
  readonly policy: string | undefined;
}

/** A rule. */
export interface Rule {
  readonly id: string;
  readonly isEnforced: boolean;
  /** Whether it checks the answer instead of the call. */
  readonly isOnAnswer: boolean;
  readonly cases: readonly RuleCase[];
}

/**
 * Finds the part of a rule that applies to a tool.
 *
 * @param rule The rule.
 * @param tool The tool.
 * @returns The part; undefined when the rule does not apply to this tool.
 */
export function caseFor(rule: Rule, tool: string): RuleCase | undefined {
  return rule.cases.find((part) => part.isForAll || part.tools.has(tool));
}
