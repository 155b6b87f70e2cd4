/**
 * A row of a session while its log is read.
 *
 * @module
 */

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
