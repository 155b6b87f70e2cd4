/**
 * Whether a session log holds together: its times, and that every answer is one to one
 * request.
 *
 * @module
 */

import type { PartialLog } from "../log/log.ts";
import type { WireExchange } from "./pairing.ts";
import { traceOf } from "./trace.ts";

/** What a check found. */
export interface LogCheck {
  /** What cannot be, each with its time in the session. */
  readonly faults: readonly string[];
  readonly requests: number;
  /** Requests without an answer that nobody cancelled: a session may end so. */
  readonly unanswered: number;
}

/**
 * Checks a log that could be read.
 *
 * @param log The log.
 * @returns What was found.
 */
export function checkLog(log: PartialLog): LogCheck {
  const { messages, pairs } = traceOf(log);
  const faults: (readonly [t_ms: number, text: string])[] = [];
  let last = 0;
  for (const { t_ms } of log.lines) {
    if (t_ms < last) faults.push([t_ms, `the time goes back from ${seconds(last)}`]);
    last = Math.max(last, t_ms);
  }
  for (const message of messages) {
    if (message.kind !== "response" || message.id === undefined) continue;
    if (pairs.byMessage.has(message.index)) continue;
    faults.push([message.t_ms, `${message.from} answers ${message.id}, which nobody asked`]);
  }
  const open = new Map<string, WireExchange[]>();
  for (const exchange of pairs.exchanges) {
    const { request, answers } = exchange;
    const seen = new Set<string>();
    for (const { from, t_ms } of answers) {
      if (seen.has(from)) faults.push([t_ms, `${from} answers ${request.id} again`]);
      seen.add(from);
    }
    const key = `${request.from === "server" ? "server" : "host"} ${request.id}`;
    const same = open.get(key) ?? [];
    if (same.some((other) => endOf(other) > request.index)) {
      faults.push([request.t_ms, `${request.from} asks with id ${request.id}, which still waits`]);
    }
    open.set(key, [...same.filter((other) => endOf(other) > request.index), exchange]);
  }
  faults.sort(([a], [b]) => a - b);
  return {
    faults: faults.map(([t_ms, text]) => `${seconds(t_ms)}: ${text}`),
    requests: pairs.exchanges.length,
    unanswered: pairs.exchanges.filter((exchange) => endOf(exchange) === Infinity).length,
  };
}

/** The place of the message after which a request waits no more. */
function endOf({ answers, cancelled }: WireExchange): number {
  return Math.min(answers[0]?.index ?? Infinity, cancelled?.index ?? Infinity);
}

function seconds(t_ms: number): string {
  return `${(t_ms / 1000).toFixed(3)} s`;
}
