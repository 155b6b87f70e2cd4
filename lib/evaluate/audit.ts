/**
 * How well a flow's probabilities fit what agents did: agreement, surprise and
 * calibration at every point where the flow would decide.
 *
 * At each of the agent's own calls the next step is known. The decider's chances of
 * the site's lookups, with handing back as the rest, are one categorical; a step the
 * flow does not offer there counts as handing back.
 *
 * @module
 */

import type { FlowDecider } from "../flow/deciding/decider.ts";
import type { Option } from "../flow/deciding/option.ts";
import { siteName } from "../flow/flow.ts";
import type { FlowState, ReadResult } from "../flow/state/flow_state.ts";
import { walk } from "../replay/walk.ts";
import type { Episode, EpisodeCall } from "../trace/episode.ts";

/** One scored decision. */
export interface AuditedDecision {
  readonly episode: string;
  readonly task: string;
  readonly site: string;
  /** What the agent did next: a lookup of the site, or `hand back`. */
  readonly agent: string;
  /** What the flow held likeliest. */
  readonly likeliest: string;
  /** How likely it held that. */
  readonly top: number;
  /** How likely it held what the agent did. */
  readonly p: number;
}

const HAND_BACK = "hand back";
const LEAST = 1e-6;

/** An episode, audited. */
export interface AuditedEpisode {
  readonly decisions: readonly AuditedDecision[];
  /** Points left out, since a flow made the next call there and not the agent. */
  readonly served: number;
  /** Points left out, since the oracle's answer is not known. */
  readonly unanswered: number;
}

/**
 * Audits an episode.
 *
 * Habit and reach are of the next call in the order sent, also within a turn. The arbiter
 * is asked once all calls of a turn are answered, as it is when it serves, and what counts
 * is the agent's next turn.
 *
 * @param episode The episode.
 * @param decider The flow.
 * @param read How results are read.
 * @returns Every decision whose next step was the agent's.
 */
export function auditEpisode(
  episode: Episode,
  decider: FlowDecider,
  read: ReadResult,
): AuditedEpisode {
  const isArbiter = decider.decider === "arbiter";
  const next = nextSteps(episode);
  const decisions: AuditedDecision[] = [];
  let [served, unanswered] = [0, 0];
  const audit = (call: EpisodeCall, steps: readonly EpisodeCall[], state: FlowState) => {
    const failed = call.answer?.error ?? false;
    const site = { tool: call.name, failed, steps: state.stepsTo(call.id) };
    const offered = decider.options(site, state);
    // The arbiter is asked about what could be made; the others predict the tool alone.
    const options = isArbiter ? offered.filter((o) => o.best !== undefined) : offered;
    if (options.length === 0) return;
    if (steps.some((step) => step.by === "flow")) {
      served++;
      return;
    }
    const judged = decider.judged(options, site, state);
    const where = {
      episode: episode.id,
      task: episode.task_id,
      site: siteName(call.name, failed),
    };
    if (judged === undefined) unanswered++;
    else decisions.push(decisionOf(judged, steps, where));
  };
  let waiting: EpisodeCall[] = [];
  walk(episode, decider.flow.manifest, read, {
    onAnswer: (call, state, at) => {
      if (call.by === "agent") {
        if (isArbiter) waiting.push(call);
        else audit(call, next.get(call) ?? [], state);
      }
      const event = episode.events[at];
      if (event?.kind !== "tool_result" || !event.isLast) return;
      for (const made of waiting) audit(made, nextTurn(episode, at), state);
      waiting = [];
    },
  });
  return { decisions, served, unanswered };
}

function decisionOf(
  options: readonly Option[],
  steps: readonly EpisodeCall[],
  where: Pick<AuditedDecision, "episode" | "task" | "site">,
): AuditedDecision {
  const sum = options.reduce((n, o) => n + o.p, 0);
  const scale = Math.max(1, sum);
  const chances = new Map(options.map((o) => [o.tool, o.p / scale]));
  chances.set(HAND_BACK, Math.max(0, 1 - sum / scale));
  const agent = steps.find(({ name: tool }) => chances.has(tool))?.name ?? HAND_BACK;
  const [likeliest, top] = [...chances].reduce((a, b) => b[1] > a[1] ? b : a);
  return { ...where, agent, likeliest, top, p: Math.max(LEAST, chances.get(agent) ?? 0) };
}

/** The calls that are sent next, the agent's or a flow's; none for a message. */
function nextTurn(episode: Episode, at: number): readonly EpisodeCall[] {
  for (const event of episode.events.slice(at + 1)) {
    if (event.kind === "assistant") return event.calls;
  }
  return [];
}

/** The call that each call was followed by; none for a message to the customer. */
function nextSteps(episode: Episode): Map<EpisodeCall, readonly EpisodeCall[]> {
  const steps: (EpisodeCall | undefined)[] = [];
  for (const event of episode.events) {
    if (event.kind !== "assistant") continue;
    if (event.calls.length === 0) steps.push(undefined);
    else steps.push(...event.calls);
  }
  return new Map(
    steps.flatMap((call, i) => {
      const step = steps[i + 1];
      return call === undefined ? [] : [[call, step === undefined ? [] : [step]] as const];
    }),
  );
}

/** Sums of some decisions. */
export interface AuditNumbers {
  readonly decisions: number;
  readonly agreement: number;
  /** The agreement that its own probabilities lead one to expect. */
  readonly expected: number;
  /** Nats a decision. */
  readonly surprise: number;
}

/** Everything an audit found. */
export interface Audit {
  readonly all: AuditNumbers;
  readonly calibrationError: number;
  readonly bins: readonly {
    readonly from: number;
    readonly decisions: number;
    readonly mean: number;
    readonly agreement: number;
  }[];
  readonly sites: readonly (AuditNumbers & { readonly site: string })[];
  /** The episodes with the most nats a decision, ten at most. */
  readonly worst: readonly (AuditNumbers & { readonly episode: string; readonly task: string })[];
}

/** Adds audited decisions up. */
export function auditOf(decisions: readonly AuditedDecision[]): Audit {
  const bins = Array.from({ length: 10 }, (_, i) => {
    const inside = decisions.filter((d) => Math.min(9, Math.floor(d.top * 10)) === i);
    const { expected, agreement } = numbersOf(inside);
    return { from: i / 10, decisions: inside.length, mean: expected, agreement };
  });
  const n = decisions.length;
  const group = (key: "site" | "episode") =>
    [...Map.groupBy(decisions, (d) => d[key])].map(([name, list]) => ({
      name,
      task: list[0]?.task ?? "",
      ...numbersOf(list),
    }));
  return {
    all: numbersOf(decisions),
    calibrationError: n === 0
      ? 0
      : bins.reduce((sum, b) => sum + b.decisions * Math.abs(b.mean - b.agreement), 0) / n,
    bins,
    sites: group("site").sort((a, b) => a.name < b.name ? -1 : 1).map((
      { name, task: _, ...rest },
    ) => ({ site: name, ...rest })),
    worst: group("episode").sort((a, b) => b.surprise - a.surprise || (a.name < b.name ? -1 : 1))
      .slice(0, 10)
      .map(({ name, ...rest }) => ({ episode: name, ...rest })),
  };
}

function numbersOf(list: readonly AuditedDecision[]): AuditNumbers {
  const mean = (of: (d: AuditedDecision) => number) =>
    list.length === 0 ? 0 : list.reduce((n, d) => n + of(d), 0) / list.length;
  return {
    decisions: list.length,
    agreement: mean((d) => d.agent === d.likeliest ? 1 : 0),
    expected: mean((d) => d.top),
    surprise: mean((d) => -Math.log(d.p)),
  };
}
