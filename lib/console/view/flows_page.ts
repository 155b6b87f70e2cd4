/**
 * Flows over all sessions: lookups by tool, and what they saved against sessions that were held out.
 *
 * @module
 */

import type { ComparedArms, ComparedMetric } from "../../savings/compare_arms.ts";
import { type Only, sessionsAddress } from "../record/session_query.ts";
import type { ToolLine } from "../record/tool_report.ts";
import { figureTable, latency, linkedCount } from "./figures.ts";
import { type Html, markup, NOTHING } from "./html.ts";
import { counted, emptyState } from "./layout.ts";

/** A flow's sessions: those of one domain, or of one server. */
export interface FlowModel {
  readonly name: string;
  /** The question to the list of sessions that finds them. */
  readonly query: Parameters<typeof sessionsAddress>[0];
  /** Sessions with a flow log. */
  readonly sessions: number;
  readonly arms: ComparedArms;
}

/** What the page shows. */
export interface FlowsModel {
  readonly flows: readonly FlowModel[];
  /** Lookups by tool. */
  readonly lookups: readonly ToolLine[];
}

/** Prints the page. */
export function flowsPage({ flows, lookups }: FlowsModel): Html {
  if (flows.length + lookups.length === 0) {
    return markup`<h1>Flows</h1>${
      emptyState(
        "No flow has made a lookup",
        markup`<code>hoist learn</code> makes a flow of recorded sessions, and <code>hoist-mcp --flow</code> serves it.`,
      )
    }`;
  }
  return markup`<h1>Flows</h1>
${flows.map(flowSection)}
<h2>Lookups by tool</h2>
${
    lookups.length === 0 ? markup`<p>No lookup was made.</p>` : figureTable(
      [
        { head: "Tool" },
        { head: "Server" },
        { head: "Lookups", isNumber: true },
        { head: "Errors", isNumber: true },
        { head: "No answer", isNumber: true },
        { head: "p50", isNumber: true },
        { head: "p95", isNumber: true },
      ],
      lookups.map((line) => [
        line.tool,
        line.server || "–",
        linkedCount(
          line.calls,
          find(line, "lookups"),
          "flow",
        ),
        linkedCount(line.errors, find(line, "errors"), "error"),
        linkedCount(line.unanswered, find(line, "unanswered")),
        latency(line.p50),
        latency(line.p95),
      ]),
    )
  }`;
}

/** The sessions behind a number of a tool. */
const find = ({ tool, server }: ToolLine, only: Only) => sessionsAddress({ tool, server, only });

function flowSection({ name, query, sessions, arms }: FlowModel): Html {
  const asked = arms.repeated.reduce((n, { times }) => n + times, 0);
  const turns = arms.metrics.find(({ key }) => key === "turns");
  const saved = turns === undefined || arms.holdout === 0 || arms.flow === 0
    ? NOTHING
    : markup`<div><dt>Turns saved a session</dt><dd>${(-turns.difference).toFixed(2)}</dd></div>`;
  return markup`<section class="card"><h2>${name || "unnamed"}</h2>
<dl class="figures-list">
<div><dt>Sessions with a flow</dt><dd>${
    linkedCount(sessions, sessionsAddress({ ...query, only: "lookups" }))
  }</dd></div>
<div><dt>Lookups given to agents</dt><dd>${
    linkedCount(arms.served, sessionsAddress({ ...query, only: "lookups" }))
  }</dd></div>
<div><dt>Asked again by the agent</dt><dd>${asked.toLocaleString("en")}</dd></div>
<div><dt>Did not fit into a result</dt><dd>${arms.leftOut.toLocaleString("en")}</dd></div>
${saved}
</dl>
${armsTable(arms)}</section>`;
}

function armsTable({ flow, holdout, undrawn, metrics }: ComparedArms): Html {
  if (flow + holdout === 0) {
    return markup`<p class="cut">No session was held out, so what the flow saves is not measured: <code>hoist-mcp --flow-holdout SHARE</code> draws sessions that go without lookups.</p>`;
  }
  const interval = ({ interval: found }: ComparedMetric) =>
    found === undefined ? "too few sessions" : `${found[0].toFixed(2)} to ${found[1].toFixed(2)}`;
  return markup`<h3>${counted(flow, "session")} with lookups, ${
    counted(holdout, "session")
  } held out, ${undrawn} not drawn</h3>
${
    figureTable(
      [
        { head: "A session's" },
        { head: "with lookups", isNumber: true },
        { head: "held out", isNumber: true },
        { head: "difference", isNumber: true },
        { head: "95 % interval", isNumber: true },
      ],
      metrics.map((metric) => [
        metric.name,
        metric.flow.n === 0 ? "–" : metric.flow.mean.toFixed(2),
        metric.holdout.n === 0 ? "–" : metric.holdout.mean.toFixed(2),
        Number.isFinite(metric.difference) ? metric.difference.toFixed(2) : "–",
        markup`${interval(metric)}${metric.isClear ? " (clear)" : ""}`,
      ]),
    )
  }`;
}
