import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { concat } from "../bytes/concat.ts";
import { relayStreams } from "./relay_streams.ts";

/** A pair that sends these chunks, and keeps what it is sent. */
function pairOf(chunks: readonly Uint8Array[]) {
  const taken: Uint8Array[] = [];
  let isClosed = false;
  return {
    pair: {
      readable: ReadableStream.from<Uint8Array>(chunks),
      writable: new WritableStream<Uint8Array>({
        write: (chunk) => void taken.push(chunk.slice()),
        close: () => void (isClosed = true),
      }),
    },
    bytes: () => [...concat(taken)],
    isClosed: () => isClosed,
  };
}

Deno.test("relayStreams() forwards every byte both ways, however it is cut", async () => {
  const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 9 }), { maxLength: 8 });
  await fc.assert(fc.asyncProperty(chunks, chunks, async (up, down) => {
    const [host, server] = [pairOf(up), pairOf(down)];
    await relayStreams(host.pair, server.pair);
    assertEquals(server.bytes(), [...concat(up)]);
    assertEquals(host.bytes(), [...concat(down)]);
    assertEquals([host.isClosed(), server.isClosed()], [true, true]);
  }));
});

Deno.test("relayStreams() shows each line once, the unfinished last one too", async () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const seen: string[] = [];
  await relayStreams(
    pairOf([bytes("a\nb"), bytes("c\nd")]).pair,
    pairOf([]).pair,
    { onLine: (from, line) => void seen.push(`${from} ${new TextDecoder().decode(line)}`) },
  );
  assertEquals(seen, ["client a", "client bc", "client d"]);
});

Deno.test("relayStreams() reads on when one end takes no more", async () => {
  const host = pairOf([new Uint8Array(3), new Uint8Array(3), new Uint8Array(3)]);
  const server = pairOf([new Uint8Array(2)]);
  const gone = new WritableStream<Uint8Array>({
    write: () => {
      throw new Error("gone");
    },
  });
  await relayStreams(host.pair, { ...server.pair, writable: gone });
  assertEquals(host.bytes().length, 2);
});
