/**
 * Replaces stretches of a JSON text and touches nothing else, so that numbers
 * past 2^53, duplicate keys, key order and spacing survive an edit.
 *
 * @module
 */

import { concat } from "../bytes/concat.ts";
import type { Span } from "./json_spans.ts";

/** One replacement. */
export interface JsonEdit {
  /** What is replaced. */
  readonly span: Span;
  /** What takes its place. */
  readonly text: string;
}

const encoder = new TextEncoder();

/**
 * Makes the edits.
 *
 * @param bytes The text; not changed.
 * @param edits The replacements, in any order; they may not overlap.
 * @param within Only this stretch is copied; the whole text by default.
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
