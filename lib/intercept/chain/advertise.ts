/**
 * Splices a tool of an interceptor into the server's list and instructions, and takes
 * messages out of a batch.
 *
 * @module
 */

import { editJson, type JsonEdit } from "../../json/edit_json.ts";
import { at } from "../../json/json.ts";
import {
  elements,
  isArrayAt,
  isObjectAt,
  isStringAt,
  members,
  type Span,
  spanText,
  valueAt,
} from "../../json/json_spans.ts";
import type { Advertising } from "./interceptor.ts";
import type { Message } from "../../wire/message.ts";

/**
 * Adds a tool at the end of a page of `tools/list`.
 *
 * @param message The response; its bytes are the whole line.
 * @param tool The tool.
 * @returns The whole line, changed; undefined when it lists no tools, or one of that name: the server
 *   may be a proxy with the same tool.
 */
export function addedToList(
  message: Message,
  { name, listing }: Advertising["tool"],
): Uint8Array | undefined {
  const { bytes } = message;
  const tools = valueAt(bytes, message.result, "tools");
  if (tools === undefined || !isArrayAt(bytes, tools)) return undefined;
  const entries = elements(bytes, tools);
  const isListed = entries.some((entry) => {
    const there = valueAt(bytes, entry, "name");
    return there !== undefined && JSON.parse(spanText(bytes, there)) === name;
  });
  if (isListed) return undefined;
  const last = entries.at(-1);
  const place = last?.end ?? tools.start + 1;
  return editJson(bytes, [insert(place, last === undefined ? listing : `,${listing}`)]);
}

/**
 * Adds a sentence to the instructions in an answer to `initialize` or `server/discover`.
 *
 * @param message The response; its bytes are the whole line.
 * @param sentence The sentence.
 * @returns The whole line, changed; undefined when the answer is no such result.
 */
export function withInstruction(message: Message, sentence: string): Uint8Array | undefined {
  const { bytes, result } = message;
  if (result === undefined || !isObjectAt(bytes, result)) return undefined;
  const there = valueAt(bytes, result, "instructions");
  if (there !== undefined && isStringAt(bytes, there)) {
    const quoted = JSON.stringify(`\n\n${sentence}`).slice(1, -1);
    const isEmpty = there.end - there.start === 2;
    const text = isEmpty ? JSON.stringify(sentence).slice(1, -1) : quoted;
    return editJson(bytes, [insert(there.end - 1, text)]);
  }
  const member = `"instructions":${JSON.stringify(sentence)}`;
  if (there !== undefined) {
    return editJson(bytes, [{ span: there, text: JSON.stringify(sentence) }]);
  }
  const last = members(bytes, result).at(-1);
  const place = last?.value.end ?? result.start + 1;
  return editJson(bytes, [insert(place, last === undefined ? member : `,${member}`)]);
}

/** Whether a request for the list asks for its first page. */
export function isFirstPage(params: unknown): boolean {
  return at(params, "cursor") === undefined;
}

/**
 * A batch without some of its messages.
 *
 * @param bytes The line.
 * @param messages All its messages.
 * @param cut Those that are left out.
 * @returns What is left; undefined when nothing is.
 */
export function withoutMessages(
  bytes: Uint8Array,
  messages: readonly Message[],
  cut: ReadonlySet<Message>,
): Uint8Array | undefined {
  const left = messages.filter((message) => !cut.has(message));
  if (left.length === messages.length) return bytes;
  const [first] = messages;
  const last = messages.at(-1);
  if (left.length === 0 || first === undefined || last === undefined) return undefined;
  const text = left.map(({ span }) => spanText(bytes, span)).join(",");
  return editJson(bytes, [{ span: { start: first.span.start, end: last.span.end }, text }]);
}

function insert(place: number, text: string): JsonEdit {
  const span: Span = { start: place, end: place };
  return { span, text };
}
