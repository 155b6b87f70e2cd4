/**
 * HTML from templates whose values cannot become markup, and whose texts cannot move the reader.
 *
 * Every value is escaped by Hono's tagged template. Control, bidirectional and invisible characters
 * become visible escapes first, so a log can neither reorder a line nor hide a part of it.
 *
 * @module
 */

import { html as escapedTemplate, raw } from "hono/html";
import { printable } from "../../text/printable.ts";

/** Markup that needs no more escaping. */
export type Html = ReturnType<typeof raw>;

/** A value of a template. Markup stays, text is escaped, lists are joined, nothing prints nothing. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/** No markup. */
export const NOTHING: Html = raw("");

/**
 * Makes markup of a template.
 *
 * @param strings The template's own text: trusted markup.
 * @param values Its values.
 * @returns The markup.
 */
export function markup(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const made = escapedTemplate(strings, ...values.map(safe));
  if (made instanceof Promise) throw new TypeError("Cannot print a promise in a page");
  return made;
}

/**
 * Makes every character of a text visible but line ends and tabs, which stay.
 *
 * @param text Any text.
 * @returns The text to print.
 */
export function visibleText(text: string): string {
  return text.replace(/[^\n\t]+/g, printable);
}

function safe(value: HtmlValue): unknown {
  if (typeof value === "string") return isMarkup(value) ? value : visibleText(value);
  if (Array.isArray(value)) return value.map(safe);
  if (isMarkup(value)) return value;
  return value === false ? undefined : value;
}

function isMarkup(value: unknown): boolean {
  return typeof value === "object" && value !== null && "isEscaped" in value;
}
