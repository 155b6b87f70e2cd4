/**
 * Exploration: now and then a run takes another option than its rule would, with
 * a known chance, so that the log can say what another rule would have earned.
 *
 * The draw is a hash of the seed, the session's content and the decision's
 * address: the same session draws the same again. Handing back is never explored.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { canonicalJson } from "../../json/canonical_json.ts";
import type { JsonObject } from "../../json/json.ts";
import type { Option } from "../deciding/option.ts";
import type { FlowDecision } from "./flow_decision.ts";
import type { FlowState } from "../state/flow_state.ts";

/** An option of a decision as the flow log says it. */
export interface PolicyOption {
  readonly tool: string;
  /** The decider's probability. */
  readonly p: number;
  /** The habit's, whichever decider rules. */
  readonly habit: number;
  /** The chance of its binding; null when nothing is left to pass. */
  readonly binding: number | null;
  /** Absent when nothing is left to pass. */
  readonly arguments?: JsonObject;
}

/** How a decision came about, as the flow log says it. */
export interface Policy {
  readonly options: readonly PolicyOption[];
  /** The lookup that the rule alone takes; null when it hands back. */
  readonly greedy: string | null;
  /** The chance of exploring, 0 to 1. */
  readonly epsilon: number;
  /** The chance with which the flow took what it took. */
  readonly propensity: number;
}

/** How to explore. */
export interface ExploreOptions {
  /** The chance of exploring, 0 to 1; 0 explores nothing and still gives the policy. */
  readonly epsilon: number;
  /** Tells series of draws apart. */
  readonly seed: number;
  /** The session so far, from {@linkcode sessionContent}. */
  readonly events: string;
}

/** Something that a decision may come to, and its chance. */
export interface Outlook {
  /** The option; undefined for what the rule alone does. */
  readonly option: Option | undefined;
  readonly propensity: number;
}

/**
 * Draws a decision.
 *
 * @param decision What the rule alone decided.
 * @param options How to explore.
 * @returns The decision, another one where it explores, and how it came about.
 */
export function explored(
  decision: FlowDecision,
  { epsilon, seed, events }: ExploreOptions,
): { readonly decision: FlowDecision; readonly policy: Policy } {
  const outlooks = outlooksOf(decision, epsilon);
  const drawn = pick(outlooks, uniform(`${seed}\n${events}\n${decision.address}`));
  const choice = drawn.option?.best;
  const taken: FlowDecision = drawn.option === undefined || choice === undefined ? decision : {
    ...decision,
    action: {
      kind: "lookup",
      tool: drawn.option.tool,
      arguments: choice.candidate.arguments,
      key: choice.candidate.key,
    },
  };
  return { decision: taken, policy: policyOf(decision, epsilon, drawn.propensity) };
}

/**
 * Everything a decision may come to. The chances sum to one.
 *
 * @param decision What the rule alone decided.
 * @param epsilon The chance of exploring.
 * @returns The rule's own choice first, then the other options that bind with a probability.
 */
export function outlooksOf(
  { options, action }: FlowDecision,
  epsilon: number,
): readonly [Outlook, ...Outlook[]] {
  const greedy = action.kind === "lookup" ? action.tool : undefined;
  const others = options.filter((o) => o.best !== undefined && o.p > 0 && o.tool !== greedy);
  const sum = others.reduce((n, o) => n + o.p, 0);
  if (others.length === 0) return [{ option: undefined, propensity: 1 }];
  return [
    { option: undefined, propensity: 1 - epsilon },
    ...others.map((option) => ({ option, propensity: epsilon * (option.p / sum) })),
  ];
}

/**
 * How a decision came about.
 *
 * @param decision What the rule alone decided.
 * @param epsilon The chance of exploring.
 * @param propensity The chance of what was taken.
 * @returns The policy, as the flow log says it.
 */
export function policyOf(decision: FlowDecision, epsilon: number, propensity: number): Policy {
  return {
    options: decision.options.map(({ tool, p, habit, best }) => ({
      tool,
      p,
      habit,
      binding: best?.chance ?? null,
      ...(best === undefined ? {} : { arguments: best.candidate.arguments }),
    })),
    greedy: decision.action.kind === "lookup" ? decision.action.tool : null,
    epsilon,
    propensity,
  };
}

/**
 * What a draw depends on: the last of what was said, called and answered, and how
 * much of it there was. No call's id is in it, and its size is bounded.
 *
 * @param state The session so far.
 * @returns One line of text, the same for the same session.
 */
export function sessionContent(state: FlowState): string {
  const { userMessages, says, writes, steps, outputs } = state;
  return canonicalJson({
    ...state.transcript.state(),
    counts: [userMessages, says, writes, steps.length, outputs.length],
  });
}

/** The outlook at a place between 0 and 1. */
function pick(outlooks: readonly [Outlook, ...Outlook[]], place: number): Outlook {
  let rest = place;
  for (const outlook of outlooks) {
    if (rest < outlook.propensity) return outlook;
    rest -= outlook.propensity;
  }
  // Sums of shares may end a hair below one: what is left is the last that can come.
  return outlooks.findLast((outlook) => outlook.propensity > 0) ?? outlooks[0];
}

/** A number from 0 to below 1, from the first 53 bits of the text's SHA-256. */
function uniform(text: string): number {
  const bits = createHash("sha256").update(text).digest().readBigUInt64BE() >> 11n;
  return Number(bits) / 2 ** 53;
}
