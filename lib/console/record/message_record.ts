/**
 * One message of a log, read again from its line for whoever wants to see all of it.
 *
 * @module
 */

import { at, isObject, type JsonObject, textAt } from "../../json/json.ts";
import { parseLine } from "../../log/parse_line.ts";
import { messagesOf, type WireMessage } from "../../trace/wire_messages.ts";

/** A longer line is not parsed: it is offered as a file. */
export const MAX_SHOWN_LINE = 17_000_000;

/** A message and the line that it came in. */
export interface MessageRecord {
  /** The line as it stands in the log; invalid UTF-8 is shown as U+FFFD. */
  readonly text: string;
  /** Undefined when the line no longer holds it: the log was replaced. */
  readonly message: WireMessage | undefined;
}

/**
 * Reads a message of its line.
 *
 * @param bytes The line of the log, without its newline.
 * @param line Its number.
 * @param part The message's place in a batch.
 * @returns The message.
 */
export function messageRecord(bytes: Uint8Array, line: number, part: number): MessageRecord {
  const text = new TextDecoder().decode(bytes);
  const parsed = parseLine(text, line);
  const message = parsed.kind === "read" ? messagesOf(parsed.value, 0)[part] : undefined;
  return { text, message };
}

/** One piece of a result, as a person reads it. */
export type ContentPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly type: ImageType; readonly bytes: number }
  | { readonly kind: "value"; readonly title: string; readonly value: unknown };

/** Pictures that pages show. SVG is not among them: it can hold scripts. */
export type ImageType = (typeof IMAGE_TYPES)[number];

const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

/**
 * Takes an answer apart: its content items, its structured content, or its error.
 *
 * @param message The answer.
 * @returns The parts in order; the index of a picture is its place among them.
 */
export function contentParts(message: WireMessage): ContentPart[] {
  if (message.kind !== "response") return [];
  if (message.error !== undefined) {
    return [{ kind: "value", title: "error", value: message.error }];
  }
  const result = message.result ?? {};
  const content = at(result, "content");
  const items: unknown[] = Array.isArray(content) ? content : [];
  const parts = items.map(contentPart);
  const { content: _, isError: __, structuredContent, ...rest } = result;
  if (structuredContent !== undefined) {
    parts.push({ kind: "value", title: "structuredContent", value: structuredContent });
  }
  if (!Array.isArray(content)) return [{ kind: "value", title: "result", value: result }];
  if (Object.keys(rest).length > 0) parts.push({ kind: "value", title: "more", value: rest });
  return parts;
}

/**
 * The bytes of a picture in an answer.
 *
 * @param message The answer.
 * @param index The part's place in {@linkcode contentParts}.
 * @returns The picture; undefined when the part is none, or is not base64.
 */
export function imageOf(
  message: WireMessage,
  index: number,
): { readonly type: ImageType; readonly bytes: Uint8Array } | undefined {
  if (message.kind !== "response") return undefined;
  const content = at(message.result, "content");
  const item: unknown = Array.isArray(content) ? content[index] : undefined;
  const type = imageType(item);
  if (type === undefined) return undefined;
  try {
    const binary = atob(textAt(item, "data") ?? "");
    return { type, bytes: Uint8Array.from(binary, (char) => char.charCodeAt(0)) };
  } catch {
    return undefined;
  }
}

/** The value behind a text that is one JSON object or list; undefined for any other text. */
export function jsonBehind(text: string): JsonObject | readonly unknown[] | undefined {
  if (!/^\s*[[{]/.test(text) || text.length > 4_000_000) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) || isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function contentPart(item: unknown): ContentPart {
  const text = textAt(item, "text");
  if (textAt(item, "type") === "text" && text !== undefined) return { kind: "text", text };
  const type = imageType(item);
  if (type !== undefined) {
    return { kind: "image", type, bytes: Math.floor((textAt(item, "data") ?? "").length * 0.75) };
  }
  return { kind: "value", title: textAt(item, "type") ?? "item", value: item };
}

function imageType(item: unknown): ImageType | undefined {
  if (textAt(item, "type") !== "image") return undefined;
  return IMAGE_TYPES.find((type) => type === textAt(item, "mimeType"));
}
