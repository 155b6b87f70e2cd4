/**
 * Formats what a flow saved, as measured.
 *
 * @module
 */

import type { ComparedArms, ComparedMetric } from "./compare_arms.ts";
import { LEAST_VALUES } from "./welch.ts";

/** From this share of lookups made again on, agents most likely do not see them. */
const UNSEEN_SHARE = 0.3;

/**
 * Formats a comparison as Markdown.
 *
 * @param arms The comparison.
 * @returns The report, without a final newline.
 */
export function savingsMarkdown(arms: ComparedArms): string {
  return [
    "# What the flow saved",
    "",
    ...countLines(arms),
    "",
    ...(arms.flow === 0 || arms.holdout === 0 ? [] : [...tableLines(arms.metrics), ""]),
    ...lookupLines(arms),
  ].join("\n");
}

/** The numbers behind the report. */
export function savingsJson(arms: ComparedArms): unknown {
  return {
    sessions: {
      flow: arms.flow,
      holdout: arms.holdout,
      not_drawn: arms.undrawn,
      without_calls: arms.idle,
    },
    metrics: arms.metrics.map(({ key, flow, holdout, difference, interval, isClear, more }) => ({
      metric: key,
      flow,
      holdout,
      difference,
      interval: interval ?? null,
      is_clear: isClear,
      more_sessions: more ?? null,
    })),
    lookups: { served: arms.served, left_out: arms.leftOut, called_again: arms.repeated },
  };
}

function countLines({ flow, holdout, undrawn, idle }: ComparedArms): string[] {
  const left = [
    ...(undrawn > 0 ? [`${undrawn} ${sessions(undrawn)} not drawn (no --flow-holdout)`] : []),
    ...(idle > 0 ? [`${idle} without a call`] : []),
  ];
  return [
    `${flow} ${sessions(flow)} with lookups, ${holdout} held out, drawn at random.` +
    (left.length === 0 ? "" : ` Left out: ${left.join(", ")}.`),
    ...(Math.min(flow, holdout) >= LEAST_VALUES ? [] : [
      "",
      `Nothing can be said yet: an interval needs ${LEAST_VALUES} sessions of each kind. ` +
      "Serve with --flow-holdout SHARE.",
    ]),
  ];
}

function tableLines(metrics: readonly ComparedMetric[]): string[] {
  return [
    "| a session | with lookups | held out | difference | 95 % interval | clear? |",
    "|---|---|---|---|---|---|",
    ...metrics.map((metric) => {
      const { name, flow, holdout, difference, interval } = metric;
      const share = holdout.mean === 0 ? "" : ` (${signed(100 * difference / holdout.mean, 0)} %)`;
      const between = interval === undefined
        ? "too few sessions"
        : `${signed(interval[0])} to ${signed(interval[1])}`;
      return `| ${name} | ${flow.mean.toFixed(1)} | ${holdout.mean.toFixed(1)} | ` +
        `${signed(difference)}${share} | ${between} | ${clearness(metric)} |`;
    }),
    "",
    "Means a session, and Welch's interval for the difference of two means. *more*: sessions after " +
    "which the answer is clear four times in five, if difference and spread stay as they are. Turns " +
    "are read from the logs as docs/formats.md says, a token is taken for four characters, time is " +
    "from the first call to the last answer.",
  ];
}

function clearness({ isClear, difference, interval, more }: ComparedMetric): string {
  if (isClear) return difference < 0 ? "yes, less" : "yes, more";
  if (interval === undefined) return "no";
  return more === undefined ? "no difference" : `no, about ${more} more`;
}

function lookupLines({ served, leftOut, repeated }: ComparedArms): string[] {
  const again = repeated.reduce((n, { times }) => n + times, 0);
  const share = served === 0 ? 0 : again / served;
  return [
    `Lookups given to agents: ${served}; left out as too long: ${leftOut}; called again by the ` +
    `agent all the same: ${again}${served === 0 ? "" : ` (${(100 * share).toFixed(0)} %)`}.`,
    ...(again === 0 ? [] : ["", ...repeated.map(({ tool, times }) => `- ${tool}: ${times}`)]),
    ...(share < UNSEEN_SHARE ? [] : [
      "",
      "Agents call so many again that they most likely do not see them: docs/hosts.md has what each " +
      "host shows.",
    ]),
  ];
}

function sessions(n: number): string {
  return n === 1 ? "session" : "sessions";
}

/** A number with its sign; zero has none. */
function signed(value: number, digits = 1): string {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return value < 0 ? `-${text}` : `+${text}`;
}
