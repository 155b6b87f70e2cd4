/**
 * Prints a run for a person: a line for each call and each answer.
 *
 * @module
 */

import { excerpt, printable } from "../../text/printable.ts";
import type { RunCall, RunEvent } from "../../procedure/run/run_step.ts";
import type { RunReport } from "../../procedure/run/run_report.ts";
import { jsonText } from "../../json/json.ts";

/** Characters of an answer that are shown. */
const MAX_ANSWER = 100;

/** The line of a call. */
export function callLine(call: RunCall): string {
  return `${call.isRead ? "read " : "write"} ${printable(call.tool)} ${
    printable(jsonText(call.arguments))
  }`;
}

/** The line of its outcome. */
export function answerLine(event: RunEvent): string {
  if (event.kind === "lost") return `   -> lost: ${printable(event.reason)}`;
  if (event.kind !== "answered") return `   -> ${event.kind}`;
  return `   -> ${event.error ? "error: " : ""}${excerpt(event.content, MAX_ANSWER)}`;
}

/** The closing lines. */
export function endLines(report: RunReport): string[] {
  const lines = report.not_made.map(({ tool, arguments: args, why }) =>
    `${why === "dry_run" ? "would write" : "not made"} ${printable(tool)} ${
      printable(jsonText(args))
    }`
  );
  const reason = report.reason === null ? "" : `: ${printable(report.reason)}`;
  return [...lines, `${report.verdict.replace("_", " ")}${reason}`];
}
