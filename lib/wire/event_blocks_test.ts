import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { concat } from "../bytes/concat.ts";
import { type EventBlock, EventBlocks } from "./event_blocks.ts";
import { EventStreamParser, type StreamEvent } from "./event_stream.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function blocksOf(text: string, cuts: readonly number[] = []): EventBlock[] {
  const bytes = encoder.encode(text);
  const blocks = new EventBlocks();
  const at = [0, ...cuts.map((c) => c % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const found = at.slice(1).flatMap((end, i) => blocks.push(bytes.slice(at[i], end)));
  return [...found, ...[blocks.rest() ?? []].flat()];
}

Deno.test("EventBlocks gives comments, ends of lines and what is cut off as they came", () => {
  const text = ": hi\r\n\r\ndata: a\nfoo: 1\n\nid: 7\r\rdata: cut";
  assertEquals(
    blocksOf(text).map((
      { raw, event },
    ) => [decoder.decode(raw), event && decoder.decode(event.data)]),
    [[": hi\r\n\r\n", undefined], ["data: a\nfoo: 1\n\n", "a"], ["id: 7\r\r", ""], [
      "data: cut",
      undefined,
    ]],
  );
});

Deno.test("EventBlocks gives every byte, and the parser's events, however a stream is cut", () => {
  const piece = fc.constantFrom("data: a", "data", ": c", "id: 1", "\n", "\n\n", "\r", "\r\n", "é");
  fc.assert(fc.property(fc.array(piece), fc.array(fc.nat()), (pieces, cuts) => {
    const text = pieces.join("");
    const found = blocksOf(text, cuts);
    assertEquals(decoder.decode(concat(found.map(({ raw }) => raw))), text);
    const events: StreamEvent[] = [];
    new EventStreamParser().push(encoder.encode(text), (event) => events.push(event));
    assertEquals(found.flatMap(({ event }) => event ?? []), events);
  }));
});
