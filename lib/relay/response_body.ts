/**
 * Bodies of responses, read through buffers that are used again: the runtime's
 * own reading takes 64 KiB for each read, which is most of the memory that a
 * flood of small answers costs.
 *
 * @module
 */

import { concat } from "../bytes/concat.ts";
import { type EventBlock, EventBlocks } from "../wire/event_blocks.ts";
import { EventStreamParser, type StreamEvent } from "../wire/event_stream.ts";

const BUFFER_BYTES = 32_768;
/** Buffers kept for the next bodies. */
const MAX_SPARE = 32;

const spare: ArrayBuffer[] = [];

/** The events of a response, as they come; the stream is closed when the reader stops. */
export async function* eventsOf(response: Response): AsyncGenerator<StreamEvent> {
  const parser = new EventStreamParser();
  for await (const chunk of chunksOf(response)) {
    const events: StreamEvent[] = [];
    parser.push(chunk, (event) => events.push(event));
    yield* events;
  }
}

/** A response's events with the bytes they came in; the stream is closed when the reader stops. */
export async function* blocksOf(response: Response): AsyncGenerator<EventBlock> {
  const blocks = new EventBlocks();
  for await (const chunk of chunksOf(response)) yield* blocks.push(chunk);
  const rest = blocks.rest();
  if (rest !== undefined) yield rest;
}

/**
 * The whole body of a response with JSON; empty when it was cut off, which no JSON is. A byte order
 * mark is left out, as a host that reads JSON over HTTP leaves it out.
 */
export async function bodyOf(response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  try {
    for await (const chunk of chunksOf(response)) parts.push(chunk.slice());
  } catch {
    return new Uint8Array();
  }
  const body = parts.length === 1 && parts[0] !== undefined ? parts[0] : concat(parts);
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

/** The chunks of a body, each valid until the next is asked for. */
async function* chunksOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader({ mode: "byob" });
  if (reader === undefined) return;
  let buffer = spare.pop() ?? new ArrayBuffer(BUFFER_BYTES);
  let isWhole = false;
  try {
    for (;;) {
      isWhole = false; // Until it is read into, the reader has it.
      const { value, done } = await reader.read(new Uint8Array(buffer));
      if (value === undefined) return;
      buffer = value.buffer;
      isWhole = true;
      if (done) return;
      yield value;
    }
  } finally {
    if (isWhole && spare.length < MAX_SPARE) spare.push(buffer);
    await reader.cancel().catch(() => {});
  }
}
