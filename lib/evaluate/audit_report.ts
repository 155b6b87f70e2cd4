/**
 * An audit for people: Markdown, and one page.
 *
 * @module
 */

import type { Audit } from "./audit.ts";
import { curveChart, page, table } from "../text/html_page.ts";

/** What an audit was of. */
export interface AuditTitle {
  readonly domain: string;
  readonly decider: string;
  readonly episodes: number;
  /** Decisions left out for want of an oracle's answer. */
  readonly unanswered: number;
  /** Decisions left out, since a flow made the next call there. */
  readonly served: number;
}

const HEAD = ["decisions", "agreement", "nats a decision"];

/** The report, without a final newline. */
export function auditMarkdown(audit: Audit, title: AuditTitle): string {
  const { all } = audit;
  return [
    `# Audit of the ${title.domain} flow`,
    "",
    lead(audit, title),
    "",
    all.decisions === 0
      ? "No call in them has lookups after it that the flow knows."
      : `Agreement ${all.agreement.toFixed(3)} (its own probabilities expect ${
        all.expected.toFixed(3)
      }), surprise ` +
        `${all.surprise.toFixed(3)} nats a decision (log-probability of the path ${
          (-all.surprise * all.decisions).toFixed(1)
        }), ` +
        `calibration error ${audit.calibrationError.toFixed(3)}.`,
    ...block("Sites", ["site", ...HEAD], audit.sites.map((s) => row(s.site, s))),
    ...block(
      "Calibration",
      ["top probability", "decisions", "mean", "agreement"],
      audit.bins.filter((b) => b.decisions > 0).map((b) => [
        `${b.from.toFixed(1)} to ${(b.from + 0.1).toFixed(1)}`,
        String(b.decisions),
        b.mean.toFixed(3),
        b.agreement.toFixed(3),
      ]),
    ),
    ...block(
      "Episodes it fits least",
      ["episode", "task", ...HEAD],
      audit.worst.map((e) => [e.episode, e.task, ...row("", e).slice(1)]),
    ),
  ].join("\n");
}

/** The page. */
export function auditHtml(audit: Audit, title: AuditTitle): string {
  const { all } = audit;
  return page({
    title: `Audit of the ${title.domain} flow`,
    lead: lead(audit, title),
    figures: [
      [
        "agreement",
        `${(100 * all.agreement).toFixed(0)} % <small>(expects ${
          (100 * all.expected).toFixed(0)
        } %)</small>`,
      ],
      ["surprise", `${all.surprise.toFixed(2)} <small>nats a decision</small>`],
      ["calibration error", audit.calibrationError.toFixed(3)],
    ],
    sections: [
      {
        heading: "Calibration",
        body: curveChart(
          audit.bins.filter((b) => b.decisions > 0).map((b) => ({
            x: b.mean,
            y: b.agreement,
            n: b.decisions,
          })),
          { x: "its top probability", y: "the agent agreed" },
        ),
      },
      { heading: "Sites", body: table(["site", ...HEAD], audit.sites.map((s) => row(s.site, s))) },
      {
        heading: "Episodes it fits least",
        body: table(
          ["episode", "task", ...HEAD],
          audit.worst.map((e) => [e.episode, e.task, ...row("", e).slice(1)]),
        ),
      },
    ],
  });
}

function lead({ all }: Audit, title: AuditTitle): string {
  const { decider, episodes, unanswered, served } = title;
  const left = [
    ...(decider === "arbiter" ? [`${unanswered} left out for want of an answer`] : []),
    ...(served === 0 ? [] : [`${served} left out: a flow made the next call there, not the agent`]),
  ];
  return [
    `The flow decides by ${decider}; ${episodes} episodes, ${all.decisions} decisions scored`,
    ...left,
  ].join(", ") + ".";
}

function row(
  name: string,
  n: { decisions: number; agreement: number; surprise: number },
): string[] {
  return [name, String(n.decisions), n.agreement.toFixed(3), n.surprise.toFixed(3)];
}

function block(
  heading: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return ["", `## ${heading}`, "", line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)];
}
