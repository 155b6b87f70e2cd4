/**
 * Edits the entries of a list in an answer of the server, and takes an answer's place.
 *
 * @module
 */

import { ambiguousKey } from "../../json/ambiguous_key.ts";
import { editJson, type JsonEdit } from "../../json/edit_json.ts";
import { elements, isArrayAt, type Span, spanText, valuesOf } from "../../json/json_spans.ts";
import { errorResponse, INTERNAL_ERROR } from "../../wire/rpc_error.ts";
import type { SeenMessage } from "./seen.ts";

/** What becomes of an entry: it stays, goes, or this JSON takes its place. */
export type EntryEdit = "keep" | "cut" | { readonly text: string };

/**
 * Edits the entries of a list.
 *
 * @param message The answer; its bytes are the whole line.
 * @param member The member of its result that holds the list.
 * @param edit What becomes of an entry at an index.
 * @returns The whole line, changed; undefined when every entry stays.
 * @throws {TypeError} When there is no such list, or two.
 */
export function editedList(
  { bytes, result }: SeenMessage,
  member: string,
  edit: (index: number) => EntryEdit,
): Uint8Array | undefined {
  const [list, ...others] = valuesOf(bytes, result, member);
  if (list === undefined || others.length > 0 || !isArrayAt(bytes, list)) {
    throw new TypeError(`an answer without one list of ${member}`);
  }
  const entries = elements(bytes, list);
  const edits = entries.map((_, index) => edit(index));
  if (edits.every((what) => what === "keep")) return undefined;
  const left = entries.flatMap((span, i) => {
    const what = edits[i] ?? "keep";
    return what === "cut" ? [] : [what === "keep" ? spanText(bytes, span) : what.text];
  });
  return editJson(bytes, [{ span: list, text: `[${left.join(",")}]` }]);
}

/** The line of an answer with an error in its place: its text tells the host why. */
export function erredLine({ line, span, idAsWritten }: SeenMessage, why: string): Uint8Array {
  const error = new TextDecoder().decode(errorResponse(idAsWritten, INTERNAL_ERROR, why));
  if (!line.isBatch) return errorResponse(idAsWritten, INTERNAL_ERROR, why);
  return editJson(line.bytes, [{ span, text: error } satisfies JsonEdit]);
}

/**
 * Says why hosts may read a message in different ways.
 *
 * @param message The message.
 * @returns The reason, in words; undefined when all read it alike.
 */
export function readingFault({ line, span }: SeenMessage): string | undefined {
  if (line.isOdd) return "it is no JSON in UTF-8";
  const key = ambiguousKey(spanText(line.bytes, span satisfies Span));
  return key && `it has "${key[0]}" beside "${key[1]}"`;
}
