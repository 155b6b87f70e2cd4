/**
 * A row of a session while its log is read.
 *
 * @module
 */

import type { LineSource, RawLine } from "../../log/log.ts";
import type { WireMessage, WireResponse } from "../../trace/wire_messages.ts";
import type { MessagePlace, Outcome, SessionRow } from "./session_row.ts";

/** A row that an answer may still change. */
export type RowDraft = { -readonly [K in keyof SessionRow]: SessionRow[K] };

/** The row of a message, before it is known what it is. */
export function draftOf(message: WireMessage, place: MessagePlace, line: number): RowDraft {
  return {
    n: message.index,
    line,
    place,
    answers: [],
    tMs: message.t_ms,
    endMs: undefined,
    kind: "notice",
    by: senderOf(message),
    name: "",
    outcome: "said",
    brief: "",
    reply: "",
    inChars: 0,
    outChars: 0,
    progress: 0,
  };
}

/** Who sent a message: the host, the server or the proxy. */
export function senderOf({ from }: Pick<WireMessage, "from">): string {
  return from === "client" || from === "context" ? "host" : from;
}

/** How an answer ends its row. */
export function outcomeOf(
  step: string | undefined,
  { from, error }: WireResponse,
  { isError, isCommit }: { readonly isError: boolean; readonly isCommit: boolean },
): Outcome {
  if (step === "paused") return "paused";
  // The proxy answers commits itself; what it refuses in one is a call of its own.
  if (isCommit) return isError ? "error" : "ok";
  // The proxy's JSON-RPC errors say that it could not reach the server; its refusals are results.
  if (from === "proxy" && error === undefined) return isError ? "refused" : "proxy";
  return isError ? "error" : "ok";
}

/** The start of a line of a log. */
const LINE_START = /^\{"t_ms":(\d{1,15}),"from":"(\w+)"/;
const SENDERS: readonly LineSource[] = ["client", "server", "proxy", "context"];

/**
 * A line that stands for one that is too long to be read.
 *
 * @param start The first bytes of that line.
 * @param facts Its number, its length, and the time of the line before.
 */
export function longLine(
  start: string,
  { line, bytes, lastMs }: {
    readonly line: number;
    readonly bytes: number;
    readonly lastMs: number;
  },
): RawLine {
  const [, time, sender] = LINE_START.exec(start) ?? [];
  const from = SENDERS.find((one) => one === sender) ?? "proxy";
  const t_ms = time === undefined ? lastMs : Number(time);
  const raw = `a line of ${(bytes / 1e6).toFixed(1)} MB, too long to be shown`;
  return { kind: "raw", line, t_ms, from, raw };
}
