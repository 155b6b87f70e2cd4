/**
 * One session: its facts, and a waterfall of its turns and calls.
 *
 * Each turn has a time axis of its own, from its first message to its last answer: a session waits
 * for minutes between turns, and a bar of 40 ms would not be seen beside that.
 *
 * @module
 */

import type { Outcome, SessionEntry, SessionRow } from "../record/session_row.ts";
import { durationText } from "../../timeline/header_lines.ts";
import { type Html, markup, NOTHING } from "./html.ts";
import { counted, emptyState, moment, sizeText } from "./layout.ts";

/** Rows on one page of a session. */
export const PAGE_ROWS = 300;

/** What the page shows. */
export interface SessionModel {
  readonly entry: SessionEntry;
  readonly rows: readonly SessionRow[];
  /** Turns before the first row, and the first messages of those that begin on this page. */
  readonly turns: { readonly before: number; readonly starts: readonly number[] };
  /** Rows of the session. */
  readonly rowCount: number;
  /** First rows of the pages around; undefined for none. */
  readonly previous: number | undefined;
  readonly next: number | undefined;
  readonly isRunning: boolean;
  /** Address of this session's pages: `address("")`, `address("rows/7")`. */
  address(rest: string): string;
  readonly isLive: boolean;
  /** A row's whole content, where no server is asked for it. */
  body?(row: SessionRow): Html;
}

/** How outcomes are called. */
export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  open: "no answer yet",
  ok: "answered",
  error: "error",
  refused: "refused by the proxy",
  proxy: "answered by the proxy",
  cancelled: "cancelled",
  paused: "asks for input",
  said: "",
};

/**
 * Prints a session.
 *
 * @param model What it shows.
 * @returns The content of the page.
 */
export function sessionPage(model: SessionModel): Html {
  const { entry, rows, isRunning } = model;
  const isClosed = !isRunning;
  return markup`<p class="back"><a href="${model.address("..")}">All sessions</a></p>
<h1 id="heading" data-live>${entry.session === undefined ? entry.key : moment(entry.startedMs)}${
    isRunning ? markup`<span class="badge live">growing</span>` : ""
  }</h1>
${facts(entry)}
${entry.faults === "" ? NOTHING : faultList(entry.faults)}
${
    model.isLive
      ? markup`<p><a href="/compare?a=${
        encodeURIComponent(entry.key)
      }">Compare with another session</a></p>`
      : NOTHING
  }
<h2>What happened</h2>
${legend()}
<div id="waterfall" data-live data-session="${entry.key}">
${
    rows.length === 0
      ? emptyState(
        "No messages",
        isClosed
          ? "The session ended before its host said anything."
          : "Its first message appears here by itself.",
      )
      : groupsOf(model, isClosed).map((group) => groupSection(group, model, isClosed))
  }
${around(model)}
</div>`;
}

function facts(entry: SessionEntry): Html {
  const { host, server, protocol, domain, model, command, hostSession, bytes } = entry;
  const counts = [
    counted(entry.turns, "turn"),
    counted(entry.calls, "call"),
    entry.lookups > 0 ? `${counted(entry.lookups, "lookup")} by the flow` : "",
    entry.refused > 0 ? `${entry.refused} refused` : "",
    counted(entry.errors, "error"),
    entry.rawLines > 0 ? `${counted(entry.rawLines, "line")} not JSON` : "",
  ].filter((text) => text !== "").join(", ");
  const lines: readonly (readonly [string, Html | string])[] = [
    ["Host", host],
    ["Server", server],
    ["Happened", counts],
    ["Lasted", durationText(entry.durationMs)],
    ["Command", command === "" ? "" : markup`<code>${command}</code>`],
    ["Domain", domain],
    ["Model", model],
    ["Started by", hostSession],
    ["Protocol", protocol],
    [
      "Log",
      markup`<code>${entry.path}</code>, ${counted(entry.lines, "line")}, ${sizeText(bytes)}${
        entry.isProbe ? ", only a probe: the host looked for the server's era" : ""
      }${""}`,
    ],
  ];
  return markup`<dl class="facts" id="facts" data-live>${
    lines.map(([name, value]) =>
      value === "" ? "" : markup`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`
    )
  }</dl>`;
}

function faultList(faults: string): Html {
  return markup`<section class="faults">
      <h2>Unreadable lines</h2>
      <ul>${faults.split("\n").map((fault) => markup`<li>${fault}</li>`)}</ul>
    </section>`;
}

function legend(): Html {
  const items: readonly (readonly [string, string])[] = [
    ["o-ok", "answered"],
    ["o-flow", "a flow's lookup"],
    ["o-error", "error"],
    ["o-refused", "refused"],
    ["o-cancelled", "cancelled"],
    ["o-open", "no answer"],
  ];
  return markup`<ul class="legend" aria-label="Colours of the bars">${
    items.map(([mark, name]) =>
      markup`<li><svg width="12" height="12" aria-hidden="true"><rect width="12" height="12" class="${mark}"/></svg>${name}</li>`
    )
  }</ul>`;
}

/** Rows with one time axis. */
interface Group {
  readonly title: string;
  readonly id: string;
  readonly startMs: number;
  endMs: number;
  readonly rows: SessionRow[];
}

function groupsOf({ rows, turns, entry }: SessionModel, isClosed: boolean): Group[] {
  const groups: Group[] = [];
  const starts = new Set(turns.starts);
  let turn = turns.before;
  for (const row of rows) {
    const isStart = starts.has(row.n);
    if (isStart) turn++;
    if (isStart || groups.length === 0) {
      const title = turn === 0 ? "Before the first turn" : `Turn ${turn}`;
      groups.push({ title, id: `g${row.n}`, startMs: row.tMs, endMs: row.tMs, rows: [] });
    }
    const group = groups.at(-1);
    if (group === undefined) continue;
    group.rows.push(row);
    group.endMs = Math.max(group.endMs, endOf(row, entry, isClosed));
  }
  return groups;
}

/** The end of a row's bar: an open request of a session that goes on lasts until now. */
function endOf(row: SessionRow, entry: SessionEntry, isClosed: boolean): number {
  if (row.endMs !== undefined) return row.endMs;
  return row.outcome === "open" && !isClosed ? Math.max(row.tMs, entry.durationMs) : row.tMs;
}

function groupSection(group: Group, model: SessionModel, isClosed: boolean): Html {
  const { title, id, startMs, endMs, rows } = group;
  return markup`<section class="turn" id="${id}" aria-labelledby="${id}-title">
      <h3 id="${id}-title" data-live>${title} <small>at ${clock(startMs)}, ${
    durationText(
      endMs - startMs,
    )
  }</small></h3>
      <div class="rows" id="${id}-rows" data-live-rows>${
    rows.map((row) => rowDetails(row, group, model, isClosed))
  }</div>
    </section>`;
}

function rowDetails(row: SessionRow, group: Group, model: SessionModel, isClosed: boolean): Html {
  const { n, by, kind, outcome } = row;
  const address = model.address(`rows/${n}`);
  const words = outcome === "open" ? "no answer" : OUTCOME_WORDS[outcome];
  const took = row.endMs === undefined ? "" : durationText(row.endMs - row.tMs);
  const mark = outcome === "error" || outcome === "refused" || outcome === "cancelled" ||
      (outcome === "open" && isClosed)
    ? markup`<span class="badge ${outcome}">${words}</span>`
    : "";
  const progress = row.progress > 0
    ? markup`<span class="badge">${row.progress}× progress</span>`
    : "";
  const content = model.body?.(row) ?? markup`<p class="reply" dir="auto">${oneLine(row.reply)}</p>
<p><a href="${address}">Arguments, result and raw lines</a></p>`;
  return markup`<details class="row k-${kind} by-${by}" id="r${n}" data-body="${address}">
      <summary><span class="at">${
    clock(
      row.tMs,
    )
  }</span><span class="by">${by}</span><span class="what"><b>${
    kind === "spoken" ? "" : row.name
  }</b> <span class="brief" dir="auto">${
    oneLine(
      row.brief,
    )
  }</span></span><span class="bar">${
    kind === "call" || kind === "request" ? bar(row, group, endOf(row, model.entry, isClosed)) : ""
  }</span><span class="end">${mark}${took}${progress}</span></summary>
      <div class="body">${content}</div>
    </details>`;
}

/** A bar on the group's axis, in percent; at least a line is seen. */
function bar(row: SessionRow, { startMs, endMs }: Group, end: number): Html {
  const all = Math.max(1, endMs - startMs);
  const x = 100 * (row.tMs - startMs) / all;
  const width = Math.max(0.8, 100 * (end - row.tMs) / all);
  const kind = row.by === "flow" && row.outcome === "ok" ? "flow" : row.outcome;
  return markup`<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect x="${Math.min(x, 99.2).toFixed(2)}" y="1" width="${
    width.toFixed(
      2,
    )
  }" height="8" class="o-${kind}" />
    </svg>`;
}

function around({ rows, rowCount, previous, next, address, isLive }: SessionModel): Html {
  if (previous === undefined && next === undefined) return NOTHING;
  const link = (from: number | undefined, name: string, rel: string) =>
    from === undefined
      ? NOTHING
      : markup`<a rel="${rel}" href="${address(`?from=${from}`)}">${name}</a>`;
  return markup`<nav class="pages"
      aria-label="Pages of the session">${link(previous, "Earlier", "prev")}<span>${
    counted(
      rows.length,
      "row",
    )
  } of ${rowCount.toLocaleString("en")}</span>${
    link(
      next,
      "Later",
      "next",
    )
  }${
    next === undefined || !isLive ? "" : markup`<a href="${address("?from=end")}">Latest</a>`
  }</nav>`;
}

/** `12.345 s` after the start. */
export function clock(ms: number): string {
  const seconds = (ms % 60_000) / 1000;
  if (ms < 60_000) return `${seconds.toFixed(3)} s`;
  const minutes = Math.floor(ms / 60_000);
  return `${minutes}:${seconds.toFixed(3).padStart(6, "0")}`;
}

/** A text on one line. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
