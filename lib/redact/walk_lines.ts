/**
 * Tells the lines of a log that describe the server from those that may hold customers' values.
 *
 * @module
 */

import type { LogLine, SessionLog } from "../log/log.ts";
import { isObject } from "../json/json.ts";

/** Methods whose messages describe the server, not the customer. */
const DESCRIBING = /^(?:initialize|notifications\/initialized|tools\/list|server\/discover|ping)$/;

/** A line of a log, and whether it describes the server. */
export interface WalkedLine {
  readonly line: LogLine;
  readonly message: unknown;
  readonly raw: string | undefined;
  readonly isDescribing: boolean;
}

/** Marks the lines that describe the server: requests with such a method, and their answers. */
export function walkLines(log: SessionLog): WalkedLine[] {
  const describing = new Set<string>();
  return log.lines.map((line) => {
    if (line.kind === "raw") {
      return { line, message: undefined, raw: line.raw, isDescribing: false };
    }
    const { message } = line;
    const id = isObject(message) ? JSON.stringify(message.id ?? null) : "null";
    const method = isObject(message) && typeof message.method === "string"
      ? message.method
      : undefined;
    const asks = method !== undefined && DESCRIBING.test(method);
    if (asks && line.from !== "server") describing.add(id);
    const answers = method === undefined && line.from !== "client" && describing.has(id);
    return {
      line,
      message,
      raw: undefined,
      isDescribing: line.from !== "context" && (asks || answers),
    };
  });
}
