/**
 * What a proxy has to know of a JSON-RPC message, read from its bytes: whether
 * it is a request, a notification or a response, its id as it was written, its
 * method. Nothing is built from the message, and it is never printed again.
 *
 * @module
 */

import {
  elements,
  isArrayAt,
  isObjectAt,
  keyIs,
  members,
  rootSpan,
  type Span,
  spanText,
  stringAt,
} from "../json/json_spans.ts";

/** A message, as far as a proxy looks into it. */
export interface Message {
  /** What it is; `other` is JSON, and no JSON-RPC message. */
  readonly kind: "request" | "notification" | "response" | "other";
  /** The bytes that hold it: the line, or the array it is an element of. */
  readonly bytes: Uint8Array;
  /** Its place in them. */
  readonly span: Span;
  /** The value of `id`; absent when there is none. Of duplicates the last. */
  readonly id: Span | undefined;
  /** The method of a request or notification. */
  readonly method: string | undefined;
  /** The value of `params`. */
  readonly params: Span | undefined;
  /** The value of `result`. */
  readonly result: Span | undefined;
  /** The value of `error`. */
  readonly error: Span | undefined;
}

/**
 * Reads one message.
 *
 * @param bytes Bytes that are one JSON value.
 * @param span The message's place, when it is an element of an array.
 * @returns The message.
 */
export function readMessage(bytes: Uint8Array, span: Span = rootSpan(bytes)): Message {
  let id: Span | undefined;
  let methodAt: Span | undefined;
  let params: Span | undefined;
  let result: Span | undefined;
  let error: Span | undefined;
  if (isObjectAt(bytes, span)) {
    for (const { key, value } of members(bytes, span)) {
      if (keyIs(bytes, key, "id")) id = value;
      else if (keyIs(bytes, key, "method")) methodAt = value;
      else if (keyIs(bytes, key, "params")) params = value;
      else if (keyIs(bytes, key, "result")) result = value;
      else if (keyIs(bytes, key, "error")) error = value;
    }
  }
  const method = stringAt(bytes, methodAt);
  const kind = method !== undefined
    ? id === undefined ? "notification" : "request"
    : id !== undefined || error !== undefined
    ? "response"
    : "other";
  return { kind, bytes, span, id, method, params, result, error };
}

/**
 * Reads a line or a body: one message, or the messages of a batch.
 *
 * @param bytes Bytes that are one JSON value.
 * @returns The messages, and whether they stood in an array.
 */
export function readJsonRpc(
  bytes: Uint8Array,
): { readonly isBatch: boolean; readonly messages: readonly Message[] } {
  const root = rootSpan(bytes);
  if (!isArrayAt(bytes, root)) return { isBatch: false, messages: [readMessage(bytes, root)] };
  const messages = elements(bytes, root).map((span) => readMessage(bytes, span));
  return { isBatch: true, messages };
}

/** The id as it was written; undefined when there is none. */
export function writtenId(message: Message): string | undefined {
  return message.id === undefined ? undefined : spanText(message.bytes, message.id);
}

/**
 * A key that is equal for equal ids, however they are spelled: `1` and `1.0`
 * are one id, `1` and `"1"` are two, and digits past 2^53 count.
 *
 * @param text The id as it was written.
 * @returns The key.
 */
export function idKey(text: string): string {
  if (/^-?\d+$/.test(text)) return text === "-0" ? "0" : text;
  const value: unknown = JSON.parse(text);
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  return JSON.stringify(value);
}

/** A line of a stream has no newline inside: valid JSON has them between values only. */
export function oneLine(bytes: Uint8Array): Uint8Array {
  if (bytes.indexOf(10) < 0 && bytes.indexOf(13) < 0) return bytes;
  return bytes.map((c) => c === 10 || c === 13 ? 0x20 : c);
}
