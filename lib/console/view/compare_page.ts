/**
 * Two sessions side by side.
 *
 * @module
 */

import { type ComparedLine, MAX_COMPARED } from "../record/compare_sessions.ts";
import type { SessionEntry, SessionRow } from "../record/session_row.ts";
import { durationText } from "../../timeline/header_lines.ts";
import { type Html, markup, NOTHING } from "./html.ts";
import { counted, emptyState, moment } from "./layout.ts";
import { OUTCOME_WORDS } from "./session_page.ts";

/** What the page shows. */
export interface CompareModel {
  readonly a: SessionEntry;
  readonly b: SessionEntry;
  readonly lines: readonly ComparedLine[];
  /** Whether a session has more calls than are compared. */
  readonly isCut: boolean;
}

/** Prints the comparison. */
export function comparePage({ a, b, lines, isCut }: CompareModel): Html {
  const count = (kind: ComparedLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return markup`<p class="back"><a href="${sessionAddress(a)}">Back to the first session</a></p>
<h1>Two sessions</h1>
<div class="columns">${[a, b].map(head)}</div>
<p>${count("same")} the same, ${count("changed")} with other arguments, ${
    count("onlyA")
  } only in the first, ${count("onlyB")} only in the second.</p>
${
    isCut
      ? markup`<p class="cut">The first ${MAX_COMPARED} calls of each are compared.</p>`
      : NOTHING
  }
${
    lines.length === 0
      ? emptyState("No calls", "Neither session has called a tool.")
      : markup`<div class="scroll" tabindex="0" role="group" aria-label="Calls side by side"><table class="compare"><thead><tr><th scope="col">First</th><th scope="col">Second</th><th scope="col">Difference</th></tr></thead><tbody>${
        lines.map((line) => lineRow(line, a, b))
      }</tbody></table></div>`
  }`;
}

/**
 * Prints the choice of the second session.
 *
 * @param a The first session.
 * @param others Sessions to choose from, newest first.
 */
export function chooseSecond(a: SessionEntry, others: readonly SessionEntry[]): Html {
  const address = (b: SessionEntry) =>
    `/compare?a=${encodeURIComponent(a.key)}&b=${encodeURIComponent(b.key)}`;
  return markup`<p class="back"><a href="${sessionAddress(a)}">Back to the session</a></p>
<h1>Compare with</h1>
${
    others.length === 0
      ? emptyState("No other session", "There is no other session of this server.")
      : markup`<ul class="choice">${
        others.map((b) =>
          markup`<li><a href="${address(b)}">${moment(b.startedMs)}</a> <small>${b.host}, ${
            counted(b.calls, "call")
          }, ${counted(b.errors, "error")} · ${b.key}</small></li>`
        )
      }</ul>`
  }`;
}

function head(entry: SessionEntry): Html {
  return markup`<section class="card"><h2><a href="${sessionAddress(entry)}">${
    moment(entry.startedMs)
  }</a></h2><p>${entry.host || "–"} · ${entry.server || "–"} · ${entry.model || "–"}</p><p>${
    counted(entry.turns, "turn")
  }, ${counted(entry.calls, "call")}, ${counted(entry.lookups, "lookup")}, ${
    counted(entry.errors, "error")
  }, ${durationText(entry.durationMs)}</p></section>`;
}

function lineRow(line: ComparedLine, a: SessionEntry, b: SessionEntry): Html {
  const first = "a" in line ? call(line.a, a) : NOTHING;
  const second = "b" in line ? call(line.b, b) : NOTHING;
  return markup`<tr class="${line.kind}"><td>${first}</td><td>${second}</td><td>${
    difference(line)
  }</td></tr>`;
}

function call({ n, name, by, brief, outcome }: SessionRow, entry: SessionEntry): Html {
  const mark = outcome === "ok"
    ? NOTHING
    : markup` <span class="badge ${outcome}">${OUTCOME_WORDS[outcome]}</span>`;
  return markup`<a href="${sessionAddress(entry)}?from=${n}#r${n}">${name}</a>${mark}${
    by === "agent" ? "" : markup` <span class="badge">${by}</span>`
  }<br><span class="brief">${brief.slice(0, 160)}</span>`;
}

function difference(line: ComparedLine): string {
  switch (line.kind) {
    case "onlyA":
      return "only in the first";
    case "onlyB":
      return "only in the second";
    case "same":
    case "changed": {
      const what = line.kind === "changed" ? ["other arguments"] : [];
      if (line.a.outcome !== line.b.outcome) what.push("ended differently");
      else if (line.a.outChars !== line.b.outChars) what.push("other result");
      return what.length === 0 ? "same" : what.join(", ");
    }
  }
}

function sessionAddress({ key }: SessionEntry): string {
  return `/s/${encodeURIComponent(key)}`;
}
