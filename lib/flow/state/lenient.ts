/**
 * Results that are not JSON, read leniently: YAML, Python literals, `key: value`
 * lines, Markdown tables and lists, JSON behind or between words.
 *
 * The parsers are the kept ones of npm, loaded only when results are to be read.
 * A text that is none of these is its lines.
 *
 * @module
 */

import { isObject } from "../../json/json.ts";

/** Texts longer than this are taken for prose, unless they are JSON. */
const MAX_LENIENT = 200_000;
/** Brackets that open no JSON, before a text is taken for something else; each costs a look at it all. */
const MAX_FAILED = 20;

/**
 * Loads the parsers.
 *
 * @returns Makes a value of a result's text; never throws.
 */
export async function lenientParser(): Promise<(text: string) => unknown> {
  const [{ parse }, { lexer }] = await Promise.all([import("yaml"), import("marked")]);
  const yaml = (text: string): unknown =>
    parse(text, { schema: "core", logLevel: "silent", uniqueKeys: false, maxAliasCount: 0 });
  return (text) => parseLenient(text, yaml, (markdown) => lexer(markdown) as readonly unknown[]);
}

/**
 * Reads a text.
 *
 * @param text The result.
 * @param yaml A YAML parser; throws at what is none.
 * @param markdown A Markdown lexer.
 * @returns A value: of JSON as it is, else of the first reading that gives records or lists.
 */
export function parseLenient(
  text: string,
  yaml: (text: string) => unknown,
  markdown: (text: string) => readonly unknown[],
): unknown {
  const json = attempt(() => JSON.parse(text));
  if (json !== undefined) return json;
  const trimmed = text.trim();
  if (trimmed === "" || trimmed.length > MAX_LENIENT) return lines(text);
  const fenced = /^[^`]*```(?:json|yaml)?\n([^]*?)\n```/.exec(trimmed)?.[1];
  const inner = fenced === undefined ? undefined : attempt(() => JSON.parse(fenced));
  if (inner !== undefined) return inner;
  const embedded = embeddedJson(trimmed);
  if (embedded.length > 0) return embedded.length === 1 ? embedded[0] : embedded;
  const beginsWithKey = /^[\w "'-]+:(?:\s|$)/.test(trimmed);
  const keyed = beginsWithKey ? attempt(() => yaml(trimmed)) : undefined;
  if (isObject(keyed)) return keyed;
  if (/^\|.*\|\s*$/m.test(trimmed) || /^\s*(?:[-*+]|\d+\.)\s/m.test(trimmed)) {
    const found = fromMarkdown(markdown(trimmed), yaml);
    if (found !== undefined) return found;
  }
  if (/^[[{(]/.test(trimmed) || /^[\w "'-]+:(?:\s|$)/m.test(trimmed)) {
    const value = attempt(() => yaml(pythonic(trimmed)));
    if (isObject(value) || (Array.isArray(value) && value.length > 0)) return value;
    const pairs = keyValueLines(trimmed);
    if (pairs !== undefined) return pairs;
  }
  return lines(text);
}

/** The objects and lists that begin a line and end one; what is said around them is left out. */
function embeddedJson(text: string): unknown[] {
  const found: unknown[] = [];
  let failed = 0;
  for (let at = 0; at < text.length && failed < MAX_FAILED;) {
    const isOpen = text[at] === "{" || text[at] === "[";
    const end = isOpen ? endOfJson(text, at) : undefined;
    const value = end === undefined ? undefined : attempt(() => JSON.parse(text.slice(at, end)));
    if (value !== undefined) found.push(value);
    else if (isOpen) failed++;
    const next = text.indexOf("\n", value === undefined ? at : end);
    if (next < 0) break;
    at = next + 1;
  }
  return found;
}

/** The index after the bracket that closes the one at an index, if a line ends there. */
function endOfJson(text: string, from: number): number | undefined {
  let depth = 0;
  const token = /"(?:[^"\\]|\\.)*"|[[\]{}]/g;
  token.lastIndex = from;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    if (match[0] === "{" || match[0] === "[") depth++;
    else if (match[0].length === 1 && --depth === 0) {
      return /^[^\S\n]*(?:\n|$)/.test(text.slice(token.lastIndex)) ? token.lastIndex : undefined;
    }
  }
  return undefined;
}

/** Python's literals in YAML's spelling: None, and tuples as lists. */
function pythonic(text: string): string {
  if (!/^[[{(]/.test(text)) return text;
  return text.replace(/\bNone\b/g, "null").replace(/^\(([^]*)\)$/, "[$1]");
}

function keyValueLines(text: string): Record<string, string> | undefined {
  const pairs: Record<string, string> = {};
  let others = 0;
  for (const line of text.split("\n")) {
    const [, key, value] =
      /^\s*(?:[-*]\s+)?\**([A-Za-z][\w ./-]{0,40}?)\**\s*:\**\s+(.+?)\s*$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined) pairs[key.trim().replaceAll(" ", "_")] ??= value;
    else if (line.trim() !== "") others++;
  }
  const n = Object.keys(pairs).length;
  return n > 0 && n >= others ? pairs : undefined;
}

/** Tables as lists of records, lists as lists; what stands around them is left out. */
function fromMarkdown(tokens: readonly unknown[], yaml: (text: string) => unknown): unknown {
  const found: unknown[] = [];
  for (const token of tokens) {
    if (!isObject(token)) continue;
    if (token.type === "table") found.push(...tableRows(token));
    else if (token.type === "list" && Array.isArray(token.items)) {
      for (const item of token.items) {
        const text = isObject(item) && typeof item.text === "string" ? item.text : "";
        const value = text.includes(": ")
          ? attempt(() => yaml(text)) ?? keyValueLines(text)
          : undefined;
        found.push(isObject(value) ? value : text.split("\n")[0]);
      }
    }
  }
  return found.length === 0 ? undefined : found;
}

function tableRows(table: Readonly<Record<string, unknown>>): Record<string, string>[] {
  const cells = (row: unknown): string[] =>
    Array.isArray(row)
      ? row.map((c) => isObject(c) && typeof c.text === "string" ? c.text : "")
      : [];
  const head = cells(table.header);
  const rows = Array.isArray(table.rows) ? table.rows : [];
  return rows.map((row) =>
    Object.fromEntries(cells(row).map((text, i) => [head[i] || `column ${i + 1}`, text]))
  );
}

function lines(text: string): string | string[] {
  const list = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  return list.length > 1 ? list : text.trim();
}

function attempt(read: () => unknown): unknown {
  try {
    return read() ?? undefined;
  } catch {
    return undefined;
  }
}
