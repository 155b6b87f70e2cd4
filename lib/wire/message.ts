/**
 * Finds the parts of a JSON-RPC message in its bytes: kind, id, method, params.
 *
 * The id keeps its spelling. No object is built, and the message is never
 * printed again.
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

/** The parts of a message that a proxy looks at. */
export interface Message {
  /** Its kind; `other` is JSON that is not a JSON-RPC message. */
  readonly kind: "request" | "notification" | "response" | "other";
  /** The bytes that contain it: a line, or the batch it belongs to. */
  readonly bytes: Uint8Array;
  /** Its place in them. */
  readonly span: Span;
  /** The value of `id`; undefined when absent. The last of duplicates. */
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
 * @returns The messages, and whether they came as an array.
 */
export function readJsonRpc(
  bytes: Uint8Array,
): { readonly isBatch: boolean; readonly messages: readonly Message[] } {
  const root = rootSpan(bytes);
  if (!isArrayAt(bytes, root)) return { isBatch: false, messages: [readMessage(bytes, root)] };
  const messages = elements(bytes, root).map((span) => readMessage(bytes, span));
  return { isBatch: true, messages };
}

/** The id as it was written; undefined when absent. */
export function writtenId(message: Message): string | undefined {
  return message.id === undefined ? undefined : spanText(message.bytes, message.id);
}

/**
 * Returns equal keys for equal ids, whatever their spelling: `1` and `1.0` are
 * one id, `1` and `"1"` are two, and digits past 2^53 count.
 *
 * @param text The id as it was written.
 * @returns The key.
 */
export function idKey(text: string): string {
  if (/^-?\d+$/.test(text)) return text === "-0" ? "0" : text;
  if (/^-?[NI]/.test(text)) return text; // NaN or Infinity, which some parsers read.
  const value: unknown = JSON.parse(text);
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  return JSON.stringify(value);
}

/** Replaces newlines by spaces: valid JSON has them between values only. */
export function oneLine(bytes: Uint8Array): Uint8Array {
  if (bytes.indexOf(10) < 0 && bytes.indexOf(13) < 0) return bytes;
  return bytes.map((c) => c === 10 || c === 13 ? 0x20 : c);
}
