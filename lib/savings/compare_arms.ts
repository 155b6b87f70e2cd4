/**
 * Compares sessions with lookups to those that were held out from them.
 *
 * Chance decided which sessions are which, so a difference is the flow's doing, whatever kinds of
 * sessions there were. Sessions that were not drawn are not compared.
 *
 * @module
 */

import type { Arm } from "../flow/walking/flow_log.ts";
import type { MeasuredSession } from "./measured_session.ts";
import { differenceInterval, type Sample, sampleOf, valuesNeeded } from "./welch.ts";

/** What is compared. */
export const COMPARED = [
  { key: "turns", name: "model turns" },
  { key: "calls", name: "the agent's calls" },
  { key: "tokens", name: "tokens of results" },
  { key: "seconds", name: "seconds" },
] as const;

/** A session with the arm that it was drawn for; undefined where nothing was drawn. */
export interface DrawnSession extends MeasuredSession {
  readonly arm: Arm | undefined;
}

/** One number in both arms, a session. */
export interface ComparedMetric {
  readonly key: typeof COMPARED[number]["key"];
  readonly name: string;
  readonly flow: Sample;
  readonly holdout: Sample;
  /** Of the means: with lookups less held out. */
  readonly difference: number;
  /** Its 95 % interval; undefined where too few sessions were seen. */
  readonly interval: readonly [number, number] | undefined;
  /** Whether the interval excludes zero. */
  readonly isClear: boolean;
  /** Sessions that a clear answer still needs; undefined when it is here, or nothing can be said. */
  readonly more: number | undefined;
}

/** Both arms compared. */
export interface ComparedArms {
  readonly flow: number;
  readonly holdout: number;
  /** Sessions that were not drawn. */
  readonly undrawn: number;
  /** Sessions without a call. */
  readonly idle: number;
  readonly metrics: readonly ComparedMetric[];
  /** Lookups given to agents, in all sessions. */
  readonly served: number;
  readonly leftOut: number;
  /** Lookups that agents made again, by tool. */
  readonly repeated: readonly { readonly tool: string; readonly times: number }[];
}

/**
 * Compares the arms.
 *
 * @param sessions The sessions.
 * @returns The comparison.
 */
export function compareArms(sessions: readonly DrawnSession[]): ComparedArms {
  // Nothing was looked up there, and nothing could be.
  const active = sessions.filter(({ calls }) => calls > 0);
  const of = (arm: Arm | undefined) => active.filter((session) => session.arm === arm);
  const [flow, holdout] = [of("flow"), of("holdout")];
  const times = Map.groupBy(active.flatMap(({ repeated }) => repeated), (tool) => tool);
  return {
    flow: flow.length,
    holdout: holdout.length,
    undrawn: of(undefined).length,
    idle: sessions.length - active.length,
    metrics: COMPARED.map(({ key, name }) => ({
      key,
      name,
      ...compared(sampleOf(flow.map((s) => s[key])), sampleOf(holdout.map((s) => s[key]))),
    })),
    served: active.reduce((n, { served }) => n + served, 0),
    leftOut: active.reduce((n, { leftOut }) => n + leftOut, 0),
    repeated: [...times].map(([tool, list]) => ({ tool, times: list.length }))
      .sort((a, b) => b.times - a.times || (a.tool < b.tool ? -1 : 1)),
  };
}

function compared(flow: Sample, holdout: Sample): Omit<ComparedMetric, "key" | "name"> {
  const interval = differenceInterval(flow, holdout);
  const isClear = interval !== undefined && (interval[0] > 0 || interval[1] < 0);
  const needed = isClear ? undefined : valuesNeeded(flow, holdout);
  return {
    flow,
    holdout,
    difference: flow.mean - holdout.mean,
    interval,
    isClear,
    // By chance the answer is not clear yet although so many were seen: at least one more.
    more: needed === undefined ? undefined : Math.max(1, needed - flow.n - holdout.n),
  };
}
