/**
 * The decide loop behind one answered call: lookups, one after another, until
 * the flow hands back.
 *
 * A generator, so that the loop itself is the same for replay, which answers at
 * once, and for serving, which waits for the server: it yields each lookup and is
 * given the answer.
 *
 * @module
 */

import type { FlowDecider } from "../deciding/decider.ts";
import type { Option, Site } from "../deciding/option.ts";
import type { FlowDecision } from "./flow_decision.ts";
import { argKey, DEFAULT_THRESHOLD, type Flow, requiredArgs, siteName } from "../flow.ts";
import { RunTrace } from "./run_trace.ts";
import type { FlowState } from "../state/flow_state.ts";
import { SURPRISED } from "../deciding/surprise.ts";

/** What a run may spend. */
export interface RunLimits {
  /** Least probability times chance; by default as the flow says. */
  readonly threshold?: number;
  /** Lookups behind one call. Default 8. */
  readonly perCall?: number;
  /** Lookups a session. Default 40. */
  readonly perSession?: number;
  /** The surprise gate: off, or another threshold in nats. By default as the flow says. */
  readonly surprise?: "off" | number;
  /** Whether a lookup may be offered at all: a proxy's own server's may. Default: all may. */
  readonly offers?: (tool: string) => boolean;
  /** Has the last word on a decision that had options; exploring is such a thing. */
  readonly amend?: (decision: FlowDecision, state: FlowState) => FlowDecision;
}

/** The answer to a lookup; undefined when none came. */
export type LookupAnswer = { readonly error: boolean; readonly content: string } | undefined;

/**
 * What a run is told of a decision: the answer to a lookup; `withheld` when the lookup
 * was not made at all; `again` when an oracle's answer has come that a hand back missed.
 */
export type RunReply = LookupAnswer | "withheld" | "again";

/** What a session has spent; shared by its runs. */
export interface Spent {
  lookups: number;
}

/** Why the arbiter hands back where no oracle's answer is known. */
export const NO_ANSWER = "the oracle has no answer";

/** The default of {@linkcode RunLimits.perCall}. */
export const PER_CALL = 8;
/** The default of {@linkcode RunLimits.perSession}. */
export const PER_SESSION = 40;

/**
 * The threshold at a site: the caller's, else the site's, else the flow's, else 0.3.
 *
 * @param flow The flow.
 * @param site The site's name.
 * @param given The caller's.
 * @returns The threshold.
 */
export function thresholdAt(flow: Flow, site: string, given?: number): number {
  return given ?? flow.thresholds[site] ?? flow.threshold ?? DEFAULT_THRESHOLD;
}

/**
 * Decides behind a call until the flow hands back, or its program ends.
 *
 * @param decider The flow.
 * @param state The session so far; the lookups are added to it.
 * @param start The call that returned, and how many steps led to it.
 * @param limits What may be spent.
 * @param spent What the session has spent; counted on.
 * @returns A generator of decisions: after each say what came of it. It ends with the run's trace.
 */
export function* runFlow(
  decider: FlowDecider,
  state: FlowState,
  start: Site,
  limits: RunLimits,
  spent: Spent,
): Generator<FlowDecision, RunTrace, RunReply> {
  const trace = new RunTrace(decider.flow, {
    call: start.tool,
    failed: start.failed,
    maxLookups: limits.perCall ?? PER_CALL,
  }, decider.chances);
  let site = start;
  for (let wanted = trace.wanted; wanted !== undefined; wanted = trace.wanted) {
    const { tool = site.tool, failed, address } = wanted;
    site = { ...site, tool, failed };
    const decision = decide(decider, state, site, { limits, spent, address });
    const reply = yield decision;
    const { action } = decision;
    if (action.kind === "hand_back") {
      if (reply === "again") continue;
      trace.decide(undefined);
      break;
    }
    if (reply === "withheld" || reply === "again") {
      trace.decide(undefined);
      break;
    }
    spent.lookups++;
    const id = `hoist-lookup-${spent.lookups}`;
    state.send(id, action.tool, action.arguments, true);
    trace.decide(action.tool);
    trace.observe(reply?.error ?? true);
    if (reply === undefined) {
      state.drop(id);
      break;
    }
    state.answer(id, reply.error, reply.content);
    const step = state.steps.at(-1);
    site = { ...site, steps: step === undefined ? site.steps : [...site.steps, step] };
  }
  trace.end();
  return trace;
}

interface Turnstile {
  readonly limits: RunLimits;
  readonly spent: Spent;
  readonly address: string;
}

function decide(
  decider: FlowDecider,
  state: FlowState,
  site: Site,
  { limits, spent, address }: Turnstile,
): FlowDecision {
  const { flow } = decider;
  const name = siteName(site.tool, site.failed);
  const threshold = thresholdAt(flow, name, limits.threshold);
  const none = { address, site: name, options: [], threshold, best: undefined };
  const back = (reason: string): FlowDecision => ({
    ...none,
    action: { kind: "hand_back", reason },
  });
  if (spent.lookups >= (limits.perSession ?? PER_SESSION)) {
    return back("the session's lookups are spent");
  }
  if (flow.promoted !== undefined && flow.promoted.sites[name]?.promoted !== true) {
    return back("the site is not promoted");
  }
  if ((flow.thresholds[name] ?? 0) > 1) return back("the site is switched off");
  if (state.watch?.isShut) return back(SURPRISED);
  const { offers } = limits;
  const all = decider.options(site, state);
  const offered = offers === undefined ? all : all.filter((option) => offers(option.tool));
  if (offered.length === 0) return back("no lookups followed here in training");
  const options = decider.judged(offered, site, state);
  if (options === undefined) return back(NO_ANSWER);
  const decision = { ...none, options, ...choose(options, threshold, flow) };
  return limits.amend?.(decision, state) ?? decision;
}

/** The option to take: the best product among those that bind, if it is high enough. */
export function choose(
  options: readonly Option[],
  threshold: number,
  flow: Flow,
): Pick<FlowDecision, "best" | "action"> {
  let best: Option | undefined;
  for (const option of options) if (worth(option) > worth(best)) best = option;
  const chosen = best?.best?.candidate;
  if (chosen !== undefined && worth(best) >= threshold) {
    const { tool, arguments: args, key } = chosen;
    return { best, action: { kind: "lookup", tool, arguments: args, key } };
  }
  return {
    best,
    action: { kind: "hand_back", reason: reasonOf(options, best, { threshold, flow }) },
  };
}

/** Probability of the tool times chance of its binding; 0 when nothing binds. */
export function worth(option: Option | undefined): number {
  return option?.best === undefined ? 0 : option.p * option.best.chance;
}

/** The likeliest tool's own probability is said before whether it binds. */
function reasonOf(
  options: readonly Option[],
  best: Option | undefined,
  { threshold, flow }: { readonly threshold: number; readonly flow: Flow },
): string {
  const likeliest = options.reduce((a, b) => b.p > a.p ? b : a);
  if (best === undefined && likeliest.p >= threshold) {
    const arg = requiredArgs(flow.bindings, likeliest.tool)
      .find((name) => !flow.bindings.constants.has(argKey(likeliest.tool, name)));
    return `${likeliest.tool}: nothing left to pass${arg === undefined ? "" : ` as \`${arg}\``}`;
  }
  const said = best ?? likeliest;
  const value = best === undefined ? likeliest.p : worth(best);
  return `${said.tool} at ${value.toFixed(2)}, below ${threshold}`;
}
