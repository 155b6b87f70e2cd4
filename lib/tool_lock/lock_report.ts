/**
 * Prints the changes of a server since it was locked, for a person who decides whether to take
 * them.
 *
 * @module
 */

import { printable } from "../text/printable.ts";
import type { LockChange } from "./lock_changes.ts";
import type { Mark } from "./marks.ts";

const MARKS: Readonly<Record<Mark["kind"], string>> = {
  invisible: "invisible characters",
  instruction: "words to the model",
  "look-alike": "look-alike name",
  hidden: "pushed out of sight",
};

/**
 * Prints changes.
 *
 * @param changes The changes.
 * @returns Lines that a terminal prints without side effects; marks begin with `!!`.
 */
export function lockReport(changes: readonly LockChange[]): string {
  return changes.flatMap(({ word, name, kind, what, marks }) => [
    `${[word, printable(name)].filter((part) => part !== "").join(" ")}: ${kind}`,
    ...what.map((line) => `    ${line}`),
    ...marks.map((mark) =>
      `  !! ${MARKS[mark.kind]}${
        mark.path === "" ? "" : ` in ${printable(mark.path)}`
      }: ${mark.what}`
    ),
  ]).join("\n");
}

/** Counts changes and marks, in a sentence. */
export function lockSummary(changes: readonly LockChange[]): string {
  const marked = changes.filter(({ marks }) => marks.length > 0).length;
  const count = (kind: LockChange["kind"]) => changes.filter((c) => c.kind === kind).length;
  return `${count("changed")} changed, ${count("new")} new, ${count("gone")} gone; ` +
    `${marked} with something marked`;
}
