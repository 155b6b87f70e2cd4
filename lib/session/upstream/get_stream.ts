/**
 * The GET stream of a legacy session: read to its end and opened again, after the
 * last event it carried, for as long as the session lasts.
 *
 * @module
 */

import { carries, hasNoGetStream, reopenDelayMs, resumableId } from "../../mcp/upstream_rules.ts";
import type { Timers } from "../timers.ts";
import { isMessageEvent } from "../../wire/event_stream.ts";
import { oneLine } from "../../wire/message.ts";
import { isReadable, withoutMark } from "../../wire/reading.ts";
import { type HeaderList, isSuccessStatus, type UpstreamResponse } from "./link.ts";
import { pause } from "./pause.ts";

/** Ports of the stream. */
export interface GetStreamPorts {
  /** Delays before the stream is opened again. */
  readonly timers: Timers;
  /** Aborted when the session ends, or another stream takes its place. */
  readonly signal: AbortSignal;
  /** Opens the stream, with the headers that resume it. */
  open(resumed: HeaderList): Promise<UpstreamResponse>;
  /** Takes each message. */
  onLine(line: Uint8Array): Promise<void>;
}

/** Listens until the signal is aborted, or the upstream says that it has no such stream. */
export async function listenToUpstream(ports: GetStreamPorts): Promise<void> {
  const { timers, signal } = ports;
  let lastEventId: string | undefined;
  let retryMs: number | undefined;
  for (let fruitless = 0; !signal.aborted; fruitless++) {
    if (fruitless > 0) await pause(timers, reopenDelayMs(fruitless - 1, retryMs), signal);
    if (signal.aborted) return;
    try {
      const response = await ports.open(
        lastEventId === undefined ? [] : [["last-event-id", lastEventId]],
      );
      if (carries(response.status, response.contentType) !== "events") {
        await response.discard();
        if (isSuccessStatus(response) || hasNoGetStream(response.status)) return;
        continue;
      }
      for await (const event of response.events()) {
        if (event.id !== undefined) lastEventId = resumableId(event.id);
        retryMs = event.retryMs ?? retryMs;
        if (!isMessageEvent(event) || !isReadable(event.data) || signal.aborted) continue;
        fruitless = 0;
        await ports.onLine(oneLine(withoutMark(event.data)));
      }
    } catch {
      // Cut off, or not reachable now: the next try may succeed.
    }
  }
}
