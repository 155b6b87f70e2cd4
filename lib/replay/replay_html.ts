/**
 * A replay as one page that needs nothing else: savings by site, the calibration
 * curve, and the numbers.
 *
 * @module
 */

import { type Bar, barChart, curveChart, page, table } from "../text/html_page.ts";
import type { ReplayTitle } from "./replay_report.ts";
import type { Interval, ReplaySummary } from "./summary.ts";

/** What another threshold would have done. */
export interface ThresholdCost {
  readonly threshold: number;
  /** Turns saved. */
  saved: number;
  detours: number;
}

/**
 * Makes the page.
 *
 * @param summary The numbers.
 * @param title What they are of.
 * @param costs What other thresholds would have done.
 * @returns HTML.
 */
export function replayHtml(
  summary: ReplaySummary,
  title: ReplayTitle,
  costs: readonly ThresholdCost[],
): string {
  const { all, episodes } = summary;
  const bars: Bar[] = [...summary.lookups].flatMap(([site, tools]) =>
    [...tools].map(([tool, n]) => ({
      name: `${site} → ${tool}`,
      parts: [n.used, n.sameTurn + n.served, n.detours],
    }))
  ).sort((a, b) => sum(b.parts) - sum(a.parts) || (a.name < b.name ? -1 : 1));
  const percent = ({ value, low, high }: Interval) =>
    `${(100 * value).toFixed(1)} % <small>(${(100 * low).toFixed(1)} to ${
      (100 * high).toFixed(1)
    })</small>`;
  const detours = summary.detoursAnEpisode();
  return page({
    title: `Replay of the ${title.domain} flow`,
    lead:
      `${episodes} episodes of ${summary.tasks} tasks, ${
        summary.total("turns")
      } LLM turns. Decider ` +
      `${title.decider}, threshold ${title.threshold}; lookups answered by the ` +
      `${
        title.answers === "world" ? "world" : "recording"
      }. Intervals are 95 %, bootstrapped over tasks.`,
    figures: [
      ["turns saved", percent(summary.savedShare())],
      ["of the full bound", percent(summary.shareOfBound())],
      [
        "detours an episode",
        `${detours.value.toFixed(2)} <small>(${detours.low.toFixed(2)} to ${
          detours.high.toFixed(2)
        })</small>`,
      ],
      [
        "lookups used",
        all.lookups === 0 ? "none made" : `${(100 * all.used / all.lookups).toFixed(0)} %`,
      ],
    ],
    sections: [
      {
        heading: "Lookups by site",
        body: bars.length === 0
          ? "<p>The flow made no lookups.</p>"
          : barChart(bars, ["used", "same turn or served", "detour"]),
      },
      {
        heading: "Calibration",
        body: curveChart(
          summary.calibration().filter((b) => b.decisions > 0).map((b) => ({
            x: b.mean,
            y: b.happened,
            n: b.decisions,
          })),
          { x: "what the flow said", y: "what the agent did" },
        ) + `<p>Calibration error over ten bins: ${summary.calibrationError().toFixed(3)}.</p>`,
      },
      {
        heading: "Cost of the threshold",
        body: barChart(
          costs.map((c) => ({ name: `threshold ${c.threshold}`, parts: [c.saved, 0, c.detours] })),
          ["turns saved", "", "detours"],
        ),
      },
      {
        heading: "Why detours",
        body: table(
          ["reason", "lookups"],
          [...summary.reasons].sort(([, a], [, b]) => b - a).map(([why, n]) => [why, String(n)]),
        ),
      },
    ],
  });
}

function sum(parts: readonly number[]): number {
  return parts.reduce((a, b) => a + b, 0);
}
