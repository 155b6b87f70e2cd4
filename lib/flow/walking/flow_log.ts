/**
 * The lines of a flow log: one a decision, one a run, one for lookups left out, and one for the
 * arm that a session was drawn for.
 *
 * Keys are sorted, numbers are JSON's (never `-0`; what is not finite is null), and
 * the id of the agent's call stands as the host wrote it, digit for digit.
 *
 * @module
 */

import { canonicalJson } from "../../json/canonical_json.ts";
import type { Decider, Option } from "../deciding/option.ts";
import type { Policy } from "./explore.ts";
import type { FlowDecision } from "./flow_decision.ts";

/** What a decision line says. */
export interface DecisionEntry {
  /** The JSON-RPC id of the agent's call, as the text that was on the wire. */
  readonly after: string;
  readonly decision: FlowDecision;
  /** Whose probabilities decided. */
  readonly decider: Decider;
  /** Milliseconds the decision took. */
  readonly ms: number;
  /** Whether the flow only says what it would do. */
  readonly shadow?: boolean;
  /** Why the proxy did not make the lookup that the flow chose. */
  readonly withheld?: string;
  /** Why a lookup that was made brought nothing. */
  readonly failed?: string;
  /** How the decision came about, when the flow explores. */
  readonly policy?: Policy;
  /** The cache key of the oracle's question. */
  readonly key?: string;
  /** The oracle's probabilities, by option. */
  readonly oracle?: Readonly<Record<string, number>>;
  /** The oracle's answers to the predicates, by id. */
  readonly predicates?: Readonly<Record<string, number>>;
}

/** A value of a run's program: a tool's number, or whether a lookup succeeded, and its log-probability. */
export type RunSite = readonly [address: string, value: number | boolean, logp: number];

/** What a run line says. */
export interface RunEntry {
  /** The JSON-RPC id of the agent's call, as the text that was on the wire. */
  readonly after: string;
  /** The tool that the agent called. */
  readonly call: string;
  /** Whether that call failed. */
  readonly failed: boolean;
  readonly maxLookups: number;
  readonly sites: readonly RunSite[];
}

/** With lookups, or held out from them. */
export type Arm = "flow" | "holdout";

/** What the line of a drawn session says. */
export interface ArmEntry {
  readonly arm: Arm;
  /** The session's id. */
  readonly session: string;
  /** The share of sessions that are held out. */
  readonly share: number;
  readonly seed: number;
}

/** Lookups that were made and are not given to the agent. */
export interface LeftOutEntry {
  /** The JSON-RPC id of the agent's call, as the text that was on the wire. */
  readonly after: string;
  /** Each with its arguments as compact JSON. */
  readonly lookups: readonly { readonly tool: string; readonly args: string }[];
}

/** Spells the arm of a session; one line of JSON, without a newline. */
export function armLine({ arm, session, share, seed }: ArmEntry): string {
  return canonicalJson({ arm, seed, session, share });
}

/** Spells lookups that did not fit into a result; one line of JSON, without a newline. */
export function leftOutLine({ after, lookups }: LeftOutEntry): string {
  const left_out = lookups.map(({ tool, args }) => ({ arguments: JSON.parse(args), tool }));
  return objectText({ left_out }, after);
}

/**
 * Spells a decision.
 *
 * @param entry The decision, and what is known about it.
 * @returns One line of JSON, without a newline.
 */
export function decisionLine(entry: DecisionEntry): string {
  const { decision, after } = entry;
  const { action, options, address, site } = decision;
  const taken = takenOption(decision);
  return objectText({
    action: action.kind,
    address,
    ...(action.kind === "lookup"
      ? { arguments: action.arguments, tool: action.tool }
      : { reason: action.reason }),
    binding: taken?.best?.chance ?? null,
    ...(entry.failed === undefined ? {} : { failed: entry.failed }),
    key: entry.key ?? null,
    ms: Math.max(0, Math.round(entry.ms)),
    oracle: entry.oracle ?? {},
    ...(entry.policy === undefined ? {} : { policy: entry.policy }),
    predicates: entry.predicates ?? {},
    prob: taken?.p ?? null,
    probs: probsOf(options, entry.decider),
    ...(entry.shadow === true ? { shadow: true } : {}),
    site,
    ...(entry.withheld === undefined ? {} : { withheld: entry.withheld }),
  }, after);
}

/**
 * Spells a run.
 *
 * @param entry The run.
 * @returns One line of JSON, without a newline.
 */
export function runLine({ after, call, failed, maxLookups, sites }: RunEntry): string {
  return objectText({
    run: { call, failed, max_lookups: maxLookups, sites, surprise: surpriseOf(sites) },
  }, after);
}

/**
 * How unexpected the server's answers were.
 *
 * @param sites The values of a run.
 * @returns The sum of −log p over its outcomes, in nats.
 */
export function surpriseOf(sites: readonly RunSite[]): number {
  return sites.reduce(
    (nats, [, value, logp]) => typeof value === "boolean" ? nats - logp : nats,
    0,
  );
}

/** The option that was taken; where the flow hands back, the best one or else the likeliest. */
function takenOption({ action, options, best }: FlowDecision): Option | undefined {
  if (action.kind === "lookup") return options.find((o) => o.tool === action.tool);
  if (best !== undefined || options.length === 0) return best;
  return options.reduce((a, b) => b.p > a.p ? b : a);
}

/** Every option's probability. Reach says nothing of handing back, so that is 0 there. */
function probsOf(options: readonly Option[], decider: Decider): Record<string, number> {
  if (options.length === 0) return {};
  const sum = options.reduce((n, o) => n + o.p, 0);
  return {
    respond: decider === "reach" ? 0 : Math.max(0, 1 - sum),
    ...Object.fromEntries(options.map((o) => [o.tool, o.p])),
  };
}

/** An object with sorted keys, and with `after` as it is written. */
function objectText(members: Readonly<Record<string, unknown>>, after: string): string {
  const spelled = Object.entries(members).map(([key, value]): [string, string] => [
    key,
    canonicalJson(value),
  ]);
  spelled.push(["after", after]);
  spelled.sort(([a], [b]) => a < b ? -1 : 1);
  return `{${spelled.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`;
}
