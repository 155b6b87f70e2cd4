/**
 * Replaces byte ranges of a JSON text and leaves the rest untouched: numbers past
 * 2^53, duplicate keys, key order and spacing survive an edit.
 *
 * @module
 */

import { concat } from "../bytes/concat.ts";
import type { Span } from "./json_spans.ts";

/** One replacement. */
export interface JsonEdit {
  /** The range to replace. */
  readonly span: Span;
  /** The new text. */
  readonly text: string;
}

const encoder = new TextEncoder();

/**
 * Applies edits.
 *
 * @param bytes The text; not changed.
 * @param edits The replacements, in any order; they must not overlap.
 * @param within The range to copy; the whole text by default.
 * @returns The new text.
 */
export function editJson(
  bytes: Uint8Array,
  edits: readonly JsonEdit[],
  within: Span = { start: 0, end: bytes.length },
): Uint8Array {
  const sorted = edits.toSorted((a, b) => a.span.start - b.span.start);
  const parts: Uint8Array[] = [];
  let at = within.start;
  for (const { span, text } of sorted) {
    parts.push(bytes.subarray(at, span.start), encoder.encode(text));
    at = span.end;
  }
  parts.push(bytes.subarray(at, within.end));
  return concat(parts);
}
