/**
 * The pages over all sessions, each of what the index holds now.
 *
 * @module
 */

import { compareArms } from "../../savings/compare_arms.ts";
import { refusalLines } from "../record/refusal_report.ts";
import type { DayChart } from "../view/figures.ts";
import { type FlowModel, flowsPage } from "../view/flows_page.ts";
import { guardsPage } from "../view/guards_page.ts";
import { serversPage } from "../view/servers_page.ts";
import { toolsPage } from "../view/tools_page.ts";
import type { PageText } from "./console_pages.ts";
import type { IndexTotals, MeasuredFlow } from "../index/index_totals.ts";

/** Refusals that the page lists one by one. */
const LATEST = 50;

/** Tools. */
export function toolsText(totals: IndexTotals): PageText {
  const days = totals.days();
  const values = (of: "calls" | "lookups" | "errors" | "refused") => days.map((day) => day[of]);
  const dates = days.map(({ day }) => day);
  const charts: DayChart[] = [
    {
      title: "Calls a day",
      days: dates,
      series: [
        { name: "calls", color: "ok", values: values("calls") },
        { name: "lookups", color: "flow", values: values("lookups") },
      ],
    },
    {
      title: "Errors and refusals a day",
      days: dates,
      series: [
        { name: "errors", color: "error", values: values("errors") },
        { name: "refused", color: "refused", values: values("refused") },
      ],
    },
  ];
  return { title: "Tools", body: toolsPage({ lines: totals.tools(), charts }) };
}

/** Servers and hosts. */
export function serversText(totals: IndexTotals): PageText {
  const [servers, hosts] = [totals.parties("server"), totals.parties("host")];
  return { title: "Servers and hosts", body: serversPage({ servers, hosts }) };
}

/** Guards. */
export function guardsText(totals: IndexTotals): PageText {
  const calls = totals.refusals();
  const body = guardsPage({ lines: refusalLines(calls), latest: calls.slice(0, LATEST) });
  return { title: "Guards", body };
}

/** Flows. */
export function flowsText(totals: IndexTotals): PageText {
  const groups = Map.groupBy(totals.flows(), ({ domain, server }) => domain || server);
  const flows = [...groups].map(([name, sessions]) => flowOf(name, sessions))
    .sort((a, b) => b.sessions - a.sessions);
  const lookups = totals.tools({ onlyLookups: true });
  return { title: "Flows", body: flowsPage({ flows, lookups }) };
}

function flowOf(name: string, sessions: readonly MeasuredFlow[]): FlowModel {
  const [first] = sessions;
  return {
    name,
    query: first?.domain === name ? { words: [name] } : { server: name },
    sessions: sessions.length,
    arms: compareArms(sessions.map(({ session }) => session)),
  };
}
