/**
 * Puts one more text item at the end of a tool result's `content`, in the
 * result's own bytes: whatever else stands in it stays as the server wrote it.
 *
 * @module
 */

import { APPENDIX_LINE } from "../../guard/appendix.ts";
import { editJson } from "../../json/edit_json.ts";
import { elements, isArrayAt, type Span, valueAt } from "../../json/json_spans.ts";
import type { Message } from "../../wire/message.ts";

/** A lookup whose result the agent is given. */
export interface AppendedLookup {
  readonly tool: string;
  /** Its arguments, compact JSON. */
  readonly args: string;
  /** Its result's text. */
  readonly content: string;
}

/**
 * The text the agent is given.
 *
 * @param lookups The lookups, in order.
 * @returns A heading, and each call with its result, parted by empty lines.
 */
export function appendixText(lookups: readonly AppendedLookup[]): string {
  const parts = lookups.map(({ tool, args, content }) => `${tool} ${args}:\n${content}`);
  return [APPENDIX_LINE, ...parts].join("\n\n");
}

/** The place of a response's `content`; undefined when it has no list of content. */
function contentSpan(message: Message): Span | undefined {
  const span = valueAt(message.bytes, message.result, "content");
  return span !== undefined && isArrayAt(message.bytes, span) ? span : undefined;
}

/**
 * Appends a text item to a response.
 *
 * @param message The response; its bytes are the whole line, batches included.
 * @param text The item's text.
 * @returns The whole line, changed; undefined when it has no list of content.
 */
export function appendText(message: Message, text: string): Uint8Array | undefined {
  const { bytes } = message;
  const content = contentSpan(message);
  if (content === undefined) return undefined;
  const item = `{"type":"text","text":${JSON.stringify(text)}}`;
  const last = elements(bytes, content).at(-1);
  const at = last?.end ?? content.start + 1;
  const edit = { span: { start: at, end: at }, text: last === undefined ? item : `,${item}` };
  return editJson(bytes, [edit]);
}
