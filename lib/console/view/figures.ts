/**
 * Tables and charts of numbers over sessions.
 *
 * A chart is drawn in the browser of numbers in an attribute; the same numbers are a table below it,
 * for whoever cannot see it or runs no script.
 *
 * @module
 */

import { type Html, type HtmlValue, markup } from "./html.ts";

/** A column of a table. */
export interface Column {
  readonly head: string;
  readonly isNumber?: true;
}

/** Prints a table. The first cell of a row is its heading. */
export function figureTable(
  columns: readonly Column[],
  rows: readonly (readonly HtmlValue[])[],
): Html {
  const mark = (i: number) => columns[i]?.isNumber ? "n" : "";
  const heads = columns.map(({ head }, i) =>
    markup`<th scope="col" class="${mark(i)}">${head}</th>`
  );
  const lines = rows.map((row) =>
    markup`<tr>${
      row.map((cell, i) =>
        i === 0
          ? markup`<th scope="row">${cell}</th>`
          : markup`<td class="${mark(i)}" data-label="${columns[i]?.head}">${cell}</td>`
      )
    }</tr>`
  );
  return markup`<div class="scroll" tabindex="0" role="group" aria-label="Table"><table class="figures"><thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table></div>`;
}

/** One line of a chart. */
export interface ChartSeries {
  readonly name: string;
  /** `ok`, `error` or `flow`. */
  readonly color: string;
  readonly values: readonly (number | null)[];
}

/** A chart over days. */
export interface DayChart {
  readonly title: string;
  /** Days, `2026-11-12`. */
  readonly days: readonly string[];
  readonly series: readonly ChartSeries[];
}

/** Prints a chart; nothing for less than two days. */
export function dayChart({ title, days, series }: DayChart): Html {
  if (days.length < 2) return markup``;
  const chart = JSON.stringify({
    x: days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1000),
    series,
  });
  const table = figureTable(
    [{ head: "Day (UTC)" }, ...series.map(({ name }) => ({ head: name, isNumber: true as const }))],
    days.map((day, i) => [day, ...series.map(({ values }) => values[i] ?? "–")]),
  );
  return markup`<figure class="card chart"><figcaption>${title}</figcaption><div class="plot" aria-hidden="true" data-chart="${chart}"></div><details><summary>The numbers</summary>${table}</details></figure>`;
}

/** `12 ms`, `3.4 s`; a dash for nothing. */
export function latency(ms: number | undefined): string {
  if (ms === undefined) return "–";
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

/** A count with a link to what is behind it; `0` has none. */
export function linkedCount(n: number, address: string, mark = ""): Html {
  const text = n.toLocaleString("en");
  return n === 0
    ? markup`<span class="zero">${text}</span>`
    : markup`<a class="${mark}" href="${address}">${text}</a>`;
}
