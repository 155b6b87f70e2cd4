/**
 * Reads response bodies through reusable buffers. The runtime's own reader allocates
 * 64 KiB per read, which would be most of the memory of a flood of small responses.
 *
 * @module
 */

import { concat } from "../bytes/concat.ts";
import { type EventBlock, EventBlocks } from "../wire/event_blocks.ts";
import { EventStreamParser, type StreamEvent } from "../wire/event_stream.ts";

const BUFFER_BYTES = 32_768;
/** Number of buffers kept for reuse. */
const MAX_SPARE = 32;

const spare: ArrayBuffer[] = [];

/** The events of a response as they arrive; closes the stream when the consumer stops. */
export async function* eventsOf(response: Response): AsyncGenerator<StreamEvent> {
  const parser = new EventStreamParser();
  for await (const chunk of chunksOf(response)) {
    const events: StreamEvent[] = [];
    parser.push(chunk, (event) => events.push(event));
    yield* events;
  }
}

/** The events of a response with their bytes; closes the stream when the consumer stops. */
export async function* blocksOf(response: Response): AsyncGenerator<EventBlock> {
  const blocks = new EventBlocks();
  for await (const chunk of chunksOf(response)) yield* blocks.push(chunk);
  const rest = blocks.rest();
  if (rest !== undefined) yield rest;
}

/**
 * The whole body of a JSON response without its byte order mark; undefined when the connection
 * broke.
 */
export async function bodyOf(response: Response): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  try {
    for await (const chunk of chunksOf(response)) parts.push(chunk.slice());
  } catch {
    return undefined;
  }
  const body = parts.length === 1 && parts[0] !== undefined ? parts[0] : concat(parts);
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

/** The chunks of a body; each is valid until the next is requested. */
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
