/**
 * Parses one line of a session log.
 *
 * A fault is returned as a value, because the caller decides whether it is an
 * error or a cut last line.
 *
 * @module
 */

import { jsonMembers } from "../json/json_members.ts";
import { LOG_VERSION } from "./header.ts";
import type { LogHeader, LogLine } from "./log.ts";
import { excerpt } from "../text/printable.ts";
import { HEADER, MESSAGE_LINE, RAW_LINE, SOURCES } from "./schema.ts";

/** The result of parsing a line. */
export type ParsedLine<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "fault"; readonly what: string; readonly start: string }
  | { readonly kind: "version"; readonly what: string };

/**
 * Reads the first line of a log.
 *
 * @param text The line, without its newline.
 * @returns The header, a fault, or the refusal of another format version.
 */
export function parseHeader(text: string): ParsedLine<LogHeader> {
  const json = parseJson(text);
  if (json === undefined) return fault("is not JSON", text);
  const version = isObject(json.value) ? json.value.hoist_mcp_log : undefined;
  if (version === undefined) {
    return fault('is not the header of a session log (no "hoist_mcp_log")', text);
  }
  if (version !== LOG_VERSION) {
    const found = excerpt(JSON.stringify(version), 20);
    return {
      kind: "version",
      what: `is of session log version ${found}, and this program reads version ${LOG_VERSION}`,
    };
  }
  const header = HEADER.safeParse(json.value);
  if (header.success) return { kind: "read", value: header.data };
  return fault(`is not a session log's header (${firstIssue(header.error)})`, text);
}

/** The start of a message line, as the recorder writes it. */
const MESSAGE_START =
  /^\{"t_ms":(0|[1-9]\d{0,14}),"from":"(client|server|proxy|context)","message":/;

/**
 * Reads any other line of a log.
 *
 * @param text The line, without its newline.
 * @param line Its number in the file.
 * @returns The line, or a fault.
 */
export function parseLine(text: string, line: number): ParsedLine<LogLine> {
  const written = recordedLine(text, line);
  if (written !== undefined) return { kind: "read", value: written };
  const json = parseJson(text);
  if (json === undefined) return fault("is not JSON", text);
  const value = json.value;
  if (!isObject(value)) return fault("is not a JSON object", text);
  if ("message" in value) {
    const read = MESSAGE_LINE.safeParse(value);
    if (!read.success) return fault(`is at fault (${firstIssue(read.error)})`, text);
    const { t_ms, from, message } = read.data;
    const wire = wireText(text);
    return { kind: "read", value: { kind: "message", line, t_ms, from, text: wire, message } };
  }
  if (!("raw" in value)) return fault('has neither "message" nor "raw"', text);
  const read = RAW_LINE.safeParse(value);
  if (!read.success) return fault(`is at fault (${firstIssue(read.error)})`, text);
  return { kind: "read", value: { kind: "raw", line, ...read.data } };
}

/**
 * Reads a message line in the recorder's own spelling: the message is the last member, so its text
 * ends before the closing brace. Any other spelling takes the slower way.
 */
function recordedLine(text: string, line: number): LogLine | undefined {
  const start = MESSAGE_START.exec(text);
  if (start === null || !text.endsWith("}")) return undefined;
  const wire = text.slice(start[0].length, -1);
  const json = parseJson(wire);
  const from = SOURCES.find((source) => source === start[2]);
  if (json === undefined || from === undefined) return undefined;
  return { kind: "message", line, t_ms: Number(start[1]), from, text: wire, message: json.value };
}

/** The text of the last member named `message`, the one whose value `JSON.parse` gives. */
function wireText(text: string): string {
  const span = jsonMembers(text).findLast((member) => member.key === "message");
  return span === undefined ? "" : text.slice(span.start, span.end);
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fault(what: string, text: string) {
  return { kind: "fault", what, start: excerpt(text, 80) } as const;
}

function firstIssue(
  error: { readonly issues: readonly { path: readonly PropertyKey[]; message: string }[] },
): string {
  const issue = error.issues[0];
  return issue === undefined ? "shape" : `"${issue.path.map(String).join(".")}": ${issue.message}`;
}
