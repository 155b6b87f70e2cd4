/**
 * Refused calls over all sessions: which check, which tool, how often, and the latest of each.
 *
 * @module
 */

import { type RefusalLine, type RefusedCall, ruleOf } from "../record/refusal_report.ts";
import { sessionsAddress } from "../record/session_query.ts";
import { figureTable, linkedCount } from "./figures.ts";
import { type Html, markup } from "./html.ts";
import { emptyState, moment } from "./layout.ts";

/** What the page shows. */
export interface GuardsModel {
  readonly lines: readonly RefusalLine[];
  /** The latest refusals. */
  readonly latest: readonly RefusedCall[];
}

/** Prints the page. */
export function guardsPage({ lines, latest }: GuardsModel): Html {
  if (lines.length === 0) {
    return markup`<h1>Guards</h1>${
      emptyState(
        "No call was refused",
        markup`Rules refuse calls behind <code>hoist-mcp --guards enforce --rules FILE</code>; <code>hoist guards</code> tries them on recorded sessions first.`,
      )
    }`;
  }
  const row = ({ key, n }: RefusedCall) => `/s/${encodeURIComponent(key)}?from=${n}#r${n}`;
  return markup`<h1>Guards</h1>
${
    figureTable(
      [
        { head: "Check" },
        { head: "Tool" },
        { head: "Refused", isNumber: true },
        { head: "Sessions", isNumber: true },
        { head: "Latest" },
      ],
      lines.map(({ rule, tool, times, sessions, latest: last }) => [
        rule,
        tool,
        times.toLocaleString("en"),
        linkedCount(sessions, sessionsAddress({ tool, only: "refused" })),
        markup`<a href="${row(last)}">${moment(last.unixMs)}</a>`,
      ]),
    )
  }
<h2>Latest refusals</h2>
${
    figureTable(
      [{ head: "When" }, { head: "Tool" }, { head: "Server" }, { head: "Check" }, {
        head: "What the agent was told",
      }],
      latest.map((call) => [
        markup`<a href="${row(call)}">${moment(call.unixMs)}</a>`,
        call.tool,
        call.server || "–",
        ruleOf(call.reply),
        call.reply,
      ]),
    )
  }`;
}
