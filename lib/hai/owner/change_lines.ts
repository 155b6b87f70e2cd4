/**
 * The exact change of a request as lines with gutters: `+ ` added, `- ` removed, blanks for what
 * stays, `~ ` where this program says something in place of lines.
 *
 * @module
 */

import { lookalikes } from "../../text/lookalikes.ts";
import { plainText } from "../../text/plain_text.ts";
import type { Challenge } from "../state/records.ts";
import { indentedJson } from "../state/state_json.ts";
import { lineDiff } from "./line_diff.ts";

/** This many blanks in a row, or blank lines, are shown as their number. */
const MANY_BLANKS = /[\s\p{Zs}]{12,}/gu;
const MANY_BLANK_LINES = 3;

/** A part of the change: its name, and its lines with their gutters. */
interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

/** The parts of a change, as its preview has them. */
export function sectionsOf(preview: Challenge["preview"]): Section[] {
  return Object.entries(preview).flatMap(([key, value]): Section[] => {
    if (key === "previous" || key === "reason") return [];
    if (key === "body" && typeof value === "string") {
      const before = typeof preview.previous === "string" ? withoutFooter(preview.previous) : "";
      return [{ title: key, lines: lineDiff(before, value) }];
    }
    if (key === "diff" && Array.isArray(value)) return value.flatMap(fieldSection);
    return [{ title: key, lines: gutter(shown(value)) }];
  });
}

function fieldSection(item: unknown): Section[] {
  if (typeof item !== "object" || item === null || !("field" in item)) return [];
  const before = "old" in item ? item.old : undefined;
  const after = "new" in item ? item.new : undefined;
  return [{ title: String(item.field), lines: lineDiff(shown(before), shown(after)) }];
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : indentedJson(value ?? null);
}

/** The lines of a text behind blanks, as ones that stay. */
export function gutter(text: string): string[] {
  return text.split("\n").map((line) => `  ${line}`);
}

/** Characters of a part that can deceive, each with its line. */
export function warningsOf({ title, lines }: Section): string[] {
  return lines.flatMap((line, i) => {
    // What is taken away was there before; what stays or comes is what counts.
    if (line.startsWith("- ")) return [];
    return lookalikes(line.slice(2)).map((named) => plainText(`${title}, line ${i + 1}: ${named}`));
  });
}

/** A title that counts, and the lines: one short line stands beside its title. */
export function sectionLines({ title, lines }: Section): string[] {
  const safe = collapsed(lines).map((line) =>
    line.startsWith("~ ") ? line : `${line.slice(0, 2)}${inline(line.slice(2))}`
  );
  const [only] = safe;
  if (safe.length === 1 && only?.startsWith("  ")) return [`${plainText(title)}: ${only.trim()}`];
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  const changes = [
    [count("+ "), "added"] as const,
    [count("- "), "removed"] as const,
  ].filter(([n]) => n > 0).map(([n, what]) => `, ${n} ${what}`).join("");
  return [`${plainText(title)}: ${lineCount(lines.length)}${changes}`, ...safe];
}

/** A number of lines in words. */
export function lineCount(lines: number): string {
  return lines === 1 ? "1 line" : `${lines} lines`;
}

/** A line made safe, its long blanks counted. */
export function inline(text: string): string {
  return plainText(text).replaceAll(MANY_BLANKS, (run) => `<${run.length} blanks>`).trimEnd();
}

/** Blank lines in a row become their number. */
function collapsed(lines: readonly string[]): string[] {
  const out: string[] = [];
  for (let i = 0; i < lines.length;) {
    let end = i;
    while (isBlank(lines[end]) && lines[end]?.[0] === lines[i]?.[0]) end++;
    if (end - i >= MANY_BLANK_LINES) {
      const mark = lines[i]?.[0] === "+" ? " added" : lines[i]?.[0] === "-" ? " removed" : "";
      out.push(`~ ${end - i} blank lines${mark}`);
      i = end;
    } else {
      out.push(lines[i] ?? "");
      i++;
    }
  }
  return out;
}

function isBlank(line: string | undefined): boolean {
  return line !== undefined && line.slice(2).trim() === "";
}

/** The part of a canonical next step that was approved. */
function withoutFooter(canonical: string): string {
  const at = canonical.lastIndexOf("\n---\n_Accepted via hai-mcp_\n");
  return at < 0 ? canonical : canonical.slice(0, at);
}
