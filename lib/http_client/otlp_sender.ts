/**
 * Sends spans over OTLP/HTTP, as protobuf, by the official packages' own serializer.
 *
 * Each batch is acknowledged before the next is made, so that memory is that of one batch. What
 * says "later" is asked again, a few times; what says "no" ends the export.
 *
 * @module
 */

import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import type { SessionSpan } from "../export/spans.ts";
import { VERSION } from "../flags/version.ts";
import { networkFault } from "./network_fault.ts";
import { createUpstreamClient, type UpstreamNetwork } from "./upstream_network.ts";

/** Where spans go. */
export interface OtlpTarget {
  /** The collector: its root, or the whole URL for traces. */
  readonly url: string;
  /** Headers, such as a credential. */
  readonly headers: readonly (readonly [string, string])[];
  readonly network: UpstreamNetwork;
  /** Waits between tries. */
  readonly pause: (ms: number) => Promise<void>;
}

/** Sends a batch; gives how many spans the collector did not take. Rejects when it takes none. */
export type SendSpans = (spans: readonly SessionSpan[]) => Promise<number>;

/** Statuses that mean: later. */
const LATER = [429, 502, 503, 504];
/** Milliseconds before each further try. */
const PAUSES = [500, 1_000, 2_000, 4_000, 8_000];
const REQUEST_MS = 30_000;
const [INTERNAL, CLIENT] = [0, 2]; // The API's SpanKind.
const [UNSET, ERROR] = [0, 2]; // The API's SpanStatusCode.
const SAMPLED = 1;

/** The address that spans are posted to: the specification's path below a collector's root. */
export function tracesUrl(url: string): string {
  const parsed = new URL(url);
  if (parsed.pathname === "/") parsed.pathname = "/v1/traces";
  return parsed.href;
}

/**
 * Makes the sender.
 *
 * @param target Where spans go.
 * @returns Sends a batch.
 */
export async function otlpSender(target: OtlpTarget): Promise<SendSpans> {
  const { ProtobufTraceSerializer } = await import("@opentelemetry/otlp-transformer");
  const { resourceFromAttributes } = await import("@opentelemetry/resources");
  const resource = resourceFromAttributes({
    "service.name": "hoist-mcp",
    "service.version": VERSION,
  });
  const client = createUpstreamClient(target.network);
  return async (spans) => {
    const body = ProtobufTraceSerializer.serializeRequest(
      spans.map((span) => readable(span, resource)),
    );
    if (body === undefined) throw new Error("the spans cannot be serialized");
    const answer = await post(target, client, Uint8Array.from(body));
    if (answer.length === 0) return 0;
    const { partialSuccess } = ProtobufTraceSerializer.deserializeResponse(answer);
    return Number(partialSuccess?.rejectedSpans ?? 0);
  };
}

async function post(
  { url, headers, pause }: OtlpTarget,
  client: Deno.HttpClient | undefined,
  body: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  for (let tries = 0;; tries++) {
    let why: string;
    try {
      const response = await fetch(tracesUrl(url), {
        method: "POST",
        headers: [...headers.map(([k, v]): [string, string] => [k, v]), [
          "content-type",
          "application/x-protobuf",
        ]],
        body,
        redirect: "manual",
        signal: AbortSignal.timeout(REQUEST_MS),
        ...client === undefined ? {} : { client },
      });
      if (response.ok) return await response.bytes();
      await response.body?.cancel();
      why = `the collector answers with HTTP ${response.status}`;
      if (!LATER.includes(response.status)) throw new RefusedError(why);
    } catch (error) {
      if (error instanceof RefusedError) throw error;
      why = `cannot reach the collector: ${networkFault(error)}`;
    }
    const ms = PAUSES[tries];
    if (ms === undefined) throw new Error(`${why}; given up after ${tries + 1} tries`);
    await pause(ms);
  }
}

/** The collector will not take it. */
class RefusedError extends Error {}

function readable(
  span: SessionSpan,
  resource: ReadableSpan["resource"],
): ReadableSpan {
  const { startUnixMs, endUnixMs, error, link, parentSpanId, traceId, spanId } = span;
  const context = (spanId: string, trace = traceId) => ({
    traceId: trace,
    spanId,
    traceFlags: SAMPLED,
  });
  return {
    name: span.name,
    kind: span.isRequest ? CLIENT : INTERNAL,
    spanContext: () => context(spanId),
    ...parentSpanId === undefined ? {} : { parentSpanContext: context(parentSpanId) },
    startTime: time(startUnixMs),
    endTime: time(endUnixMs),
    duration: time(endUnixMs - startUnixMs),
    status: { code: error === undefined ? UNSET : ERROR },
    attributes: span.attributes,
    links: link === undefined ? [] : [{ context: context(link.spanId, link.traceId) }],
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: "hoist", version: VERSION },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Seconds and nanoseconds. */
function time(ms: number): [number, number] {
  return [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1e6)];
}
