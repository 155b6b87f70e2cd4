/**
 * Prints what `hoist check` found, for people and for build servers.
 *
 * @module
 */

import { excerpt, printable } from "../text/printable.ts";
import { escaped, page, table } from "../text/html_page.ts";
import type { CheckKind } from "./compare_answers.ts";
import type { CheckRow } from "./play_session.ts";

/** A session that was played. */
export interface CheckedSession {
  /** Its log. */
  readonly file: string;
  readonly rows: readonly CheckRow[];
  /** Why it could not be played; undefined when it was. */
  readonly fault: string | undefined;
}

/** The kinds, the good ones first. */
export const CHECK_KINDS: readonly CheckKind[] = [
  "equal",
  "masked",
  "skipped",
  "changed",
  "error",
  "missing",
  "unanswered",
];

/** Characters of a value that are shown. */
const SHOWN = 120;

/** What was asked, as one word or two. */
function askedFor({ method, tool }: CheckRow): string {
  return tool === undefined ? method : `${method} ${tool}`;
}

/** Why a row is not equal, in lines. */
export function differenceLines({ why, differences = [] }: CheckRow): string[] {
  const value = (json: string | undefined) =>
    json === undefined ? "nothing" : excerpt(printable(json), SHOWN);
  return [
    ...(why === undefined ? [] : [printable(why)]),
    ...differences.map(({ at, before, now }) =>
      `${printable(at)}: was ${value(before)}, is ${value(now)}`
    ),
  ];
}

/** How many rows there are of each kind. */
export function countsOf(sessions: readonly CheckedSession[]): Record<CheckKind, number> {
  const counts = {
    equal: 0,
    masked: 0,
    skipped: 0,
    changed: 0,
    error: 0,
    missing: 0,
    unanswered: 0,
  };
  for (const { rows } of sessions) for (const { kind } of rows) counts[kind]++;
  return counts;
}

/** The counts as a sentence. */
function countsLine(sessions: readonly CheckedSession[]): string {
  const counts = countsOf(sessions);
  return `${sessions.length} sessions: ` +
    CHECK_KINDS.filter((kind) => counts[kind] > 0 || kind === "equal")
      .map((kind) => `${counts[kind]} ${kind}`).join(", ");
}

/**
 * The report as text.
 *
 * @param sessions The sessions.
 * @param failing Kinds that fail.
 * @returns Lines, without a final newline.
 */
export function checkReport(
  sessions: readonly CheckedSession[],
  failing: ReadonlySet<CheckKind>,
): string {
  const lines: string[] = [];
  for (const { file, rows, fault } of sessions) {
    if (fault !== undefined) lines.push(`${printable(file)}: ${printable(fault)}`);
    for (const row of rows) {
      if (!failing.has(row.kind)) continue;
      lines.push(`${printable(file)}:${row.line}: ${row.kind}: ${printable(askedFor(row))}`);
      lines.push(...differenceLines(row).map((reason) => `  ${reason}`));
    }
  }
  return [...lines, countsLine(sessions)].join("\n");
}

/** The report as JUnit XML: a suite for each session, a case for each request. */
export function checkJunit(
  sessions: readonly CheckedSession[],
  failing: ReadonlySet<CheckKind>,
): string {
  const suites = sessions.map(({ file, rows, fault }) => {
    const cases = rows.map((row) => {
      const name = `line ${row.line}: ${askedFor(row)}`;
      const open = `    <testcase classname="${xml(file)}" name="${xml(name)}"`;
      if (row.kind === "skipped") {
        return `${open}><skipped message="${xml(row.why ?? "")}"/></testcase>`;
      }
      if (!failing.has(row.kind)) return `${open}/>`;
      const text = differenceLines(row).map(xml).join("\n");
      return `${open}><failure type="${row.kind}" message="${row.kind}">${
        xml(text)
      }</failure></testcase>`;
    });
    if (fault !== undefined) {
      cases.push(
        `    <testcase classname="${xml(file)}" name="session"><error message="${
          xml(fault)
        }"/></testcase>`,
      );
    }
    const failures = rows.filter(({ kind }) => failing.has(kind)).length;
    const skipped = rows.filter(({ kind }) => kind === "skipped").length;
    return `  <testsuite name="${xml(file)}" tests="${cases.length}" failures="${failures}" ` +
      `errors="${fault === undefined ? 0 : 1}" skipped="${skipped}">\n${
        cases.join("\n")
      }\n  </testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="hoist check">\n${
    suites.join("\n")
  }\n</testsuites>\n`;
}

/** Escapes for XML; what XML has no character for is shown. */
function xml(text: string): string {
  return escaped(printable(text)).replaceAll("'", "&#39;");
}

/** The report as SARIF 2.1.0, each failing request at its line of the log. */
export function checkSarif(
  sessions: readonly CheckedSession[],
  failing: ReadonlySet<CheckKind>,
  version: string,
): unknown {
  const results = sessions.flatMap(({ file, rows, fault }) => {
    const place = (startLine: number) => [{
      physicalLocation: { artifactLocation: { uri: encodeURI(file) }, region: { startLine } },
    }];
    const found = rows.filter(({ kind }) => failing.has(kind)).map((row) => ({
      ruleId: row.kind,
      level: "error",
      message: { text: [askedFor(row), ...differenceLines(row)].map(printable).join("\n") },
      locations: place(row.line),
    }));
    if (fault === undefined) return found;
    const whole = {
      ruleId: "session",
      level: "error",
      message: { text: printable(fault) },
      locations: place(1),
    };
    return [...found, whole];
  });
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{
      tool: {
        driver: {
          name: "hoist check",
          version,
          rules: [...failing, "session"].map((id) => ({ id })),
        },
      },
      results,
    }],
  };
}

/** The report as a page. */
export function checkHtml(
  sessions: readonly CheckedSession[],
  failing: ReadonlySet<CheckKind>,
): string {
  const counts = countsOf(sessions);
  return page({
    title: "Recorded sessions against a server",
    lead:
      `${sessions.length} recorded sessions were played, and each answer compared with the recorded one.`,
    figures: CHECK_KINDS.filter((kind) => counts[kind] > 0).map((
      kind,
    ) => [kind, String(counts[kind])]),
    sections: sessions.map(({ file, rows, fault }) => ({
      heading: printable(file),
      body: (fault === undefined ? "" : `<p>${escaped(printable(fault))}</p>`) +
        table(
          ["request", "line", "outcome", "what differs"],
          rows.filter(({ kind }) => failing.has(kind)).map((row) => [
            printable(askedFor(row)),
            String(row.line),
            row.kind,
            differenceLines(row).join("; "),
          ]),
        ),
    })),
  });
}
