/**
 * Tools over all sessions.
 *
 * @module
 */

import { type Only, sessionsAddress } from "../record/session_query.ts";
import type { ToolLine } from "../record/tool_report.ts";
import { type DayChart, dayChart, figureTable, latency, linkedCount } from "./figures.ts";
import { type Html, markup } from "./html.ts";
import { emptyState, sizeText } from "./layout.ts";

/** What the page shows. */
export interface ToolsModel {
  readonly lines: readonly ToolLine[];
  readonly charts: readonly DayChart[];
}

/** Prints the page. */
export function toolsPage({ lines, charts }: ToolsModel): Html {
  if (lines.length === 0) {
    return markup`<h1>Tools</h1>${
      emptyState("No calls yet", "Tools are listed here once a recorded session has called one.")
    }`;
  }
  const rows = lines.map((line) => {
    const { server, tool } = line;
    const find = (only: Only) => sessionsAddress({ tool, server, only });
    return [
      markup`<a href="${find("")}">${tool}</a>`,
      server || "–",
      linkedCount(line.calls, find("")),
      linkedCount(line.lookups, find("lookups"), "flow"),
      linkedCount(line.errors, find("errors"), "error"),
      linkedCount(line.refused, find("refused"), "refused"),
      linkedCount(line.unanswered, find("unanswered")),
      latency(line.p50),
      latency(line.p95),
      line.chars50 === undefined ? "–" : sizeText(line.chars50),
      line.chars95 === undefined ? "–" : sizeText(line.chars95),
      line.tokens.toLocaleString("en"),
    ];
  });
  return markup`<h1>Tools</h1>
<div class="columns">${charts.map(dayChart)}</div>
${
    figureTable([
      { head: "Tool" },
      { head: "Server" },
      { head: "Calls", isNumber: true },
      { head: "By flows", isNumber: true },
      { head: "Errors", isNumber: true },
      { head: "Refused", isNumber: true },
      { head: "No answer", isNumber: true },
      { head: "p50", isNumber: true },
      { head: "p95", isNumber: true },
      { head: "Result p50", isNumber: true },
      { head: "Result p95", isNumber: true },
      { head: "Tokens", isNumber: true },
    ], rows)
  }
<p class="cut">p50 and p95: half of the calls, and 95 % of them, were answered by the server within this time. Tokens of all results are estimated as a quarter of the characters.</p>`;
}
