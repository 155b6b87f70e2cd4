/**
 * What a replay showed, for people (Markdown) and for programs (JSON).
 *
 * @module
 */

import type { Interval, ReplaySummary, SiteNumbers } from "./summary.ts";

/** What the replay was of. */
export interface ReplayTitle {
  readonly domain: string;
  readonly decider: string;
  readonly threshold: string;
  readonly answers: "recorded" | "world";
  /** Mean time of a decision in milliseconds; undefined when not measured. */
  readonly decisionMs?: { readonly mean: number };
}

/**
 * The report.
 *
 * @param summary The numbers.
 * @param title What they are of.
 * @returns Markdown, without a final newline.
 */
export function replayMarkdown(summary: ReplaySummary, title: ReplayTitle): string {
  const { all } = summary;
  const detours = summary.detoursAnEpisode();
  const isScored = summary.calibration().some((bin) => bin.decisions > 0);
  const lines = [
    `# Replay of the ${title.domain} flow`,
    "",
    `${summary.episodes} episodes of ${summary.tasks} tasks, ${
      summary.total("turns")
    } LLM turns. ` +
    `Decider ${title.decider}, threshold ${title.threshold}, lookups answered by the ` +
    `${
      title.answers === "world" ? "world" : "recording"
    }. Intervals: 95 %, bootstrapped over tasks. ` +
    "Recorded behaviour is taken as fixed.",
    "",
    "| | value | interval |",
    "|---|---|---|",
    row("turns saved", percent(summary.savedShare())),
    row("full bound: what a perfect flow saves", percent(summary.boundShare())),
    row(
      "share of the full bound",
      summary.total("bound") === 0 ? NOTHING : fixed(summary.shareOfBound(), 3),
    ),
    row("lookups an episode", [(all.lookups / Math.max(1, summary.episodes)).toFixed(2), ""]),
    row("detours an episode", fixed(detours, 3)),
    row("lookups used", [
      all.lookups === 0 ? "-" : `${(100 * all.used / all.lookups).toFixed(1)} %`,
      "",
    ]),
    row(
      "calibration error, 10 bins",
      isScored ? [summary.calibrationError().toFixed(3), ""] : NOTHING,
    ),
    ...(title.decisionMs === undefined
      ? []
      : [row("mean time of a decision", [`${title.decisionMs.mean.toFixed(3)} ms`, ""])]),
    "",
    `${all.lookups} lookups: ${all.used} used, ${all.sameTurn} in the turn already under way, ` +
    `${all.served} served when recorded, ${all.detours} detours.` +
    (summary.unanswered === 0
      ? ""
      : ` ${summary.unanswered} of the detours have no recorded answer: the runs went on with nothing to bind from.`),
    "",
    "## Sites",
    "",
    "| after | lookup | lookups | used | detours |",
    "|---|---|---|---|---|",
    ...[...summary.lookups].sort(byName).flatMap(([site, tools]) =>
      [...tools].sort(byName).map(([tool, n]) =>
        `| ${site} | ${tool} | ${n.lookups} | ${n.used} | ${n.detours} |`
      )
    ),
    "",
    "## Why detours",
    "",
    ...tally(summary.reasons),
    "",
    "## Calibration",
    "",
    "| probability × chance | decisions | mean | happened |",
    "|---|---|---|---|",
    ...summary.calibration().filter((bin) => bin.decisions > 0).map((bin) =>
      `| ${bin.from.toFixed(1)} to ${(bin.from + 0.1).toFixed(1)} | ${bin.decisions} | ` +
      `${bin.mean.toFixed(3)} | ${bin.happened.toFixed(3)} |`
    ),
  ];
  return lines.join("\n");
}

/** The same as data. */
export function replayJson(summary: ReplaySummary, title: ReplayTitle): Record<string, unknown> {
  return {
    domain: title.domain,
    decider: title.decider,
    threshold: title.threshold,
    answers: title.answers,
    episodes: summary.episodes,
    tasks: summary.tasks,
    turns: summary.total("turns"),
    saved: summary.total("saved"),
    bound: summary.total("bound"),
    saved_share: summary.savedShare(),
    bound_share: summary.boundShare(),
    share_of_bound: summary.shareOfBound(),
    detours_an_episode: summary.detoursAnEpisode(),
    calibration_error: summary.calibrationError(),
    calibration: summary.calibration(),
    ...(title.decisionMs === undefined ? {} : { decision_ms: title.decisionMs }),
    unanswered: summary.unanswered,
    all: numbers(summary.all),
    sites: Object.fromEntries(
      [...summary.sites].sort(byName).map(([site, n]) => [site, {
        ...numbers(n),
        by_lookup: Object.fromEntries(
          [...summary.lookups.get(site) ?? []].sort(byName).map(([tool, t]) => [tool, numbers(t)]),
        ),
      }]),
    ),
    detour_reasons: Object.fromEntries([...summary.reasons].sort(byName)),
    hand_backs: Object.fromEntries([...summary.handBacks].sort(byName)),
  };
}

function numbers(n: SiteNumbers): Record<string, number> {
  const { decisions, lookups, used, sameTurn, detours, served } = n;
  return { decisions, lookups, used, same_turn: sameTurn, detours, served };
}

/** A number of nothing. */
const NOTHING = ["-", ""] as const;

function row(name: string, [value, interval]: readonly [string, string]): string {
  return `| ${name} | ${value} | ${interval} |`;
}

function percent({ value, low, high }: Interval): [string, string] {
  const p = (x: number) => (100 * x).toFixed(1);
  return [`${p(value)} %`, `${p(low)} to ${p(high)} %`];
}

function fixed({ value, low, high }: Interval, digits: number): [string, string] {
  return [value.toFixed(digits), `${low.toFixed(digits)} to ${high.toFixed(digits)}`];
}

function tally(counts: ReadonlyMap<string, number>): string[] {
  if (counts.size === 0) return ["None."];
  return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([why, n]) =>
    `- ${n}: ${why}`
  );
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
