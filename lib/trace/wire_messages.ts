/**
 * Turns the lines of a log into a list of classified messages; batches are split.
 *
 * Every line is kept: one that is not JSON, or JSON that is not a message, stays
 * in its place, because a reader of the session wants to see it.
 *
 * @module
 */

import { jsonMembers } from "../json/json_members.ts";
import type { LineSource, LogLine, MessageLine } from "../log/log.ts";
import { at, isObject, type JsonObject, jsonText, textAt } from "../json/json.ts";

/** The fields of every message. */
export interface Seen {
  /** Its index in the list. */
  readonly index: number;
  /** Milliseconds after the session's start. */
  readonly t_ms: number;
  /** Its source. */
  readonly from: LineSource;
}

/** A request: it has an id and expects a response. */
export interface WireRequest extends Seen {
  readonly kind: "request";
  /** The id as text, see {@linkcode idText}. */
  readonly id: string;
  readonly method: string;
  readonly params: JsonObject;
}

/** A notification: it has no id and no response. */
export interface WireNotification extends Seen {
  readonly kind: "notification";
  readonly method: string;
  readonly params: JsonObject;
}

/** A response to a request. */
export interface WireResponse extends Seen {
  readonly kind: "response";
  /** The request's id as text; undefined when the response names none. */
  readonly id: string | undefined;
  readonly result: JsonObject | undefined;
  readonly error: JsonObject | undefined;
}

/** A message of the conversation. */
export interface SpokenMessage extends Seen {
  readonly kind: "spoken";
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** A line that is not JSON, or JSON that is not a message. */
export interface NotAMessage extends Seen {
  readonly kind: "noise";
  readonly text: string;
}

/** One message of a session. */
export type WireMessage =
  | WireRequest
  | WireNotification
  | WireResponse
  | SpokenMessage
  | NotAMessage;

/**
 * Classifies the lines of a log.
 *
 * @param lines The lines, in order.
 * @returns The messages in order; a batch gives one per member.
 */
export function wireMessages(lines: readonly LogLine[]): WireMessage[] {
  const messages: WireMessage[] = [];
  for (const line of lines) messages.push(...messagesOf(line, messages.length));
  return messages;
}

/**
 * Classifies one line of a log.
 *
 * @param line The line.
 * @param index The index of its first message.
 * @returns Its messages.
 */
export function messagesOf(line: LogLine, index: number): WireMessage[] {
  const seen: Seen = { index, t_ms: line.t_ms, from: line.from };
  if (line.kind === "raw") return [{ kind: "noise", ...seen, text: line.raw }];
  if (!Array.isArray(line.message) || line.message.length === 0) {
    return [classify(line.message, seen, line)];
  }
  return line.message.map((part, i) => classify(part, { ...seen, index: index + i }));
}

/**
 * Prints a JSON-RPC id so that different ids have different texts.
 *
 * A number gives its digits, a string the bare string: `7` and `"hoist-1"` give
 * `7` and `hoist-1`. A string that looks like a number, or like a text of this
 * function, is quoted: `"1"` gives `"1"`.
 *
 * @param id The id's value.
 * @param digits The spelling of a number that a double cannot hold.
 * @returns Its text; undefined when it is neither a number nor a string.
 */
export function idText(id: unknown, digits?: string): string | undefined {
  if (typeof id === "number") {
    return digits ?? String(id);
  }
  if (typeof id !== "string") return undefined;
  return AMBIGUOUS.test(id) ? JSON.stringify(id) : id;
}

/**
 * {@linkcode idText} for an id in JSON spelling.
 *
 * @param text A number or a string of JSON.
 * @returns Its text.
 */
export function writtenIdText(text: string): string {
  const id: unknown = JSON.parse(text);
  const isLost = typeof id === "number" && Math.abs(id) > Number.MAX_SAFE_INTEGER;
  return idText(id, isLost ? text : undefined) ?? text;
}

/** Empty, starting with a quote, ending like the second use of an id (`7#2`), or a number. */
const AMBIGUOUS = /^$|^"|#\d+$|^-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Infinity)$/i;

function classify(value: unknown, seen: Seen, line?: MessageLine): WireMessage {
  const message = isObject(value) ? value : {};
  if (seen.from === "context") return spoken(message, seen);
  const id = idText(at(message, "id"), line === undefined ? undefined : digitsOfId(message, line));
  const method = textAt(message, "method");
  const given = at(message, "params");
  const params = isObject(given) ? given : {};
  if (method !== undefined) {
    if (id === undefined) return { kind: "notification", ...seen, method, params };
    return { kind: "request", ...seen, id, method, params };
  }
  const result = at(message, "result");
  const error = at(message, "error");
  if (result === undefined && error === undefined) {
    return { kind: "noise", ...seen, text: line?.text ?? jsonText(value) };
  }
  return {
    kind: "response",
    ...seen,
    id,
    result: error !== undefined ? undefined : isObject(result) ? result : {},
    error: error === undefined ? undefined : isObject(error) ? error : {},
  };
}

function spoken(message: JsonObject, seen: Seen): WireMessage {
  const role = textAt(message, "role");
  const content = at(message, "content");
  const text = Array.isArray(content)
    ? content.map((item) => textAt(item, "text") ?? "").join("\n")
    : content;
  if ((role !== "user" && role !== "assistant") || typeof text !== "string") {
    return { kind: "noise", ...seen, text: jsonText(message) };
  }
  return { kind: "spoken", ...seen, role, text };
}

/** The spelling of the id; looked up only when its value has lost digits. */
function digitsOfId(message: JsonObject, line: MessageLine): string | undefined {
  const id = at(message, "id");
  if (typeof id !== "number" || Math.abs(id) <= Number.MAX_SAFE_INTEGER) return undefined;
  const span = jsonMembers(line.text).findLast((member) => member.key === "id");
  return span === undefined ? undefined : line.text.slice(span.start, span.end).trim();
}
