/**
 * A rule, compiled: what it is for, what it needs, when it refuses.
 *
 * A rule answers allow, refuse or unknown. Only a refusal of an enforced rule
 * stops a call.
 *
 * @module
 */

import type { JsonObject } from "../../json/json.ts";
import type { Expression } from "./expressions.ts";

/** What a rule says of a call. */
export type RuleVerdict =
  | { readonly kind: "allow" }
  | { readonly kind: "refuse"; readonly reason: string }
  /** The session has not shown what the rule needs; or, with a fault, the rule went wrong. */
  | { readonly kind: "unknown"; readonly fault?: string; readonly asks?: OpenQuestion };

/** A question that a rule has come to, and what the rule says on either answer. */
export interface OpenQuestion {
  readonly question: RuleQuestion;
  readonly yes: RuleVerdict;
  readonly no: RuleVerdict;
}

/** A tool call, before it is made. */
export interface GuardedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  /** The turn it is made in, where that is known: how many calls, and whether with a text. */
  readonly turn?: { readonly calls: number; readonly hasText: boolean };
}

/** A piece of a reason: words, or an expression that gives them. */
export type ReasonPart = string | Expression;

/** A question that only a model can answer: a no refuses. */
export interface RuleQuestion {
  readonly question: string;
  /** When the answer is yes. */
  readonly yes: string;
  /** When it is no. */
  readonly no: string;
}

/** The question that a verdict waits for; undefined where it waits for none. */
export function questionOf(verdict: RuleVerdict): OpenQuestion | undefined {
  return verdict.kind === "unknown" ? verdict.asks : undefined;
}

/** From which probability of yes an answer counts as one, and up to which as a no. */
const YES = 0.8;
const NO = 0.2;

/**
 * What a rule that asks says with an answer.
 *
 * @param open Its question.
 * @param p The probability of yes; undefined when nobody answered.
 * @returns The verdict: unknown where the answer is neither a clear yes nor a clear no.
 */
export function settled(open: OpenQuestion, p: number | undefined): RuleVerdict {
  if (p === undefined) return { kind: "unknown" };
  if (p <= NO) return open.no;
  return p >= YES ? open.yes : { kind: "unknown" };
}

/** A rule's part for one set of tools. */
export interface RuleCase {
  readonly tools: ReadonlySet<string>;
  /** Whether it applies to every tool. */
  readonly isForAll: boolean;
  readonly needs: readonly Expression[];
  /** Undefined when a question decides. */
  readonly refuse: Expression | undefined;
  /** What must hold for a call that is not refused to count as allowed. */
  readonly allows: readonly Expression[];
  readonly ask: RuleQuestion | undefined;
  readonly because: readonly ReasonPart[];
  readonly policy: string | undefined;
}

/** A rule. */
export interface Rule {
  readonly id: string;
  readonly isEnforced: boolean;
  /** Whether it looks at the answer instead of the call. */
  readonly isOnAnswer: boolean;
  readonly cases: readonly RuleCase[];
}

/**
 * The part of a rule that a tool falls under.
 *
 * @param rule The rule.
 * @param tool The tool.
 * @returns The part, or undefined when the rule says nothing of this tool.
 */
export function caseFor(rule: Rule, tool: string): RuleCase | undefined {
  return rule.cases.find((part) => part.isForAll || part.tools.has(tool));
}
