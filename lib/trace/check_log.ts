/**
 * Checks that a session log is consistent: times never go back, and each answer belongs to
 * one request.
 *
 * @module
 */

import type { PartialLog } from "../log/log.ts";
import type { WireExchange } from "./pairing.ts";
import { traceOf } from "./trace.ts";

/** The findings of a check. */
export interface LogCheck {
  /** The faults, each with its time in the session. */
  readonly faults: readonly string[];
  /** Number of requests. */
  /** Number of requests. */
  readonly requests: number;
  /** Requests neither answered nor cancelled; a session may end with some. */
  readonly unanswered: number;
}

/**
 * Checks a log.
 *
 * @param log The log.
 * @returns The findings.
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
    faults.push([message.t_ms, `${message.from} answers ${message.id}, which has no request`]);
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

/** Index of the message that ends a request. */
function endOf({ answers, cancelled }: WireExchange): number {
  return Math.min(answers[0]?.index ?? Infinity, cancelled?.index ?? Infinity);
}

function seconds(t_ms: number): string {
  return `${(t_ms / 1000).toFixed(3)} s`;
}
