/**
 * Prints sessions as a table, one row each.
 *
 * @module
 */

import { excerpt } from "../text/printable.ts";
import { durationText, partyText, startText } from "./header_lines.ts";
import type { Overview } from "./overview.ts";
import { type Paint, plainPaint } from "../text/paint.ts";

/** The cells of one row, in column order. */
export type ListingRow = readonly string[];

const COLUMNS: readonly { readonly head: string; readonly isNumber?: true }[] = [
  { head: "START" },
  { head: "SESSION" },
  { head: "HOST" },
  { head: "SERVER" },
  { head: "DOMAIN" },
  { head: "TURNS", isNumber: true },
  { head: "CALLS", isNumber: true },
  { head: "ERRORS", isNumber: true },
  { head: "DURATION", isNumber: true },
];

/** Longest name in the table; the timeline shows it whole. */
const MAX_CELL = 28;

/**
 * Makes the row of a session.
 *
 * @param overview The session at a glance.
 * @returns Its cells.
 */
export function listingRow({ header, parties, summary, isProbe }: Overview): ListingRow {
  const { client, server } = parties;
  const { turns, calls, errors, duration_ms } = summary;
  const host = client === undefined ? "-" : excerpt(partyText(client), MAX_CELL);
  return [
    header === undefined ? "-" : startText(header.started_unix_ms).slice(0, 19),
    excerpt(header?.session ?? "-", 40),
    isProbe ? `${host} (probe)` : host,
    excerpt(header?.server_name ?? (server === undefined ? "-" : partyText(server)), MAX_CELL),
    excerpt(header?.domain ?? "-", MAX_CELL),
    String(turns),
    String(calls),
    String(errors),
    durationText(duration_ms),
  ];
}

/**
 * Prints the table.
 *
 * @param rows Its rows.
 * @param paint Colours the header and the errors.
 * @returns Lines of text, the header first.
 */
export function listing(rows: readonly ListingRow[], paint: Paint = plainPaint): string[] {
  const widths = COLUMNS.map(({ head }, i) =>
    rows.reduce((width, row) => Math.max(width, row[i]?.length ?? 0), head.length)
  );
  const cell = (text: string, i: number) => {
    const width = widths[i] ?? 0;
    return COLUMNS[i]?.isNumber ? text.padStart(width) : text.padEnd(width);
  };
  const errors = COLUMNS.findIndex(({ head }) => head === "ERRORS");
  return [
    paint("heading", COLUMNS.map(({ head }, i) => cell(head, i)).join("  ").trimEnd()),
    ...rows.map((row) =>
      row.map((text, i) => {
        const laid = cell(text, i);
        return i === errors && text !== "0" ? paint("error", laid) : laid;
      }).join("  ").trimEnd()
    ),
  ];
}
