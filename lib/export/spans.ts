/**
 * A span of a session, as OpenTelemetry understands one. docs/fleet.md lists the attributes.
 *
 * @module
 */

/** A span. */
export interface SessionSpan {
  /** 32 hexadecimal digits: the host's trace where its request names one, else the session's. */
  readonly traceId: string;
  /** 16 hexadecimal digits, the same at every export. */
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** The session's own span, where the trace is the host's. */
  readonly link: SpanPlace | undefined;
  readonly name: string;
  /** Whether it is a request to another program. */
  readonly isRequest: boolean;
  /** Milliseconds since 1970. */
  readonly startUnixMs: number;
  readonly endUnixMs: number;
  /** Whether it failed, and why in a word. */
  readonly error: string | undefined;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /**
   * The number of messages of the log that were read when it ended, half of one more for what ends
   * with the log: a place to go on from.
   */
  readonly place: number;
}

/** A span's trace and id. */
export interface SpanPlace {
  readonly traceId: string;
  readonly spanId: string;
}

/**
 * Reads a `traceparent` (W3C Trace Context, version 00).
 *
 * @param text The header's text, as `_meta` carries it.
 * @returns The parent; undefined when it is none.
 */
export function parseTraceparent(text: string | undefined): SpanPlace | undefined {
  const match = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(?:$|-)/.exec(text ?? "");
  const [, traceId = "", spanId = ""] = match ?? [];
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return undefined;
  return { traceId, spanId };
}
