import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { concat } from "../../bytes/concat.ts";
import { Chain } from "./chain.ts";
import { type InterceptorFactory, PASS, refuseCall } from "./interceptor.ts";
import { chainWays } from "./line_stream.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const refusing: InterceptorFactory = () => ({
  name: "refusing",
  mayRefuse: true,
  onMessage: (crossing) =>
    crossing.kind === "request" && crossing.call?.tool === "no" ? refuseCall("no") : PASS,
});

function ways(...factories: readonly InterceptorFactory[]) {
  const made = chainWays((ends) =>
    new Chain({
      ...ends,
      log: undefined,
      monotonicMs: () => 0,
      later: () => () => {},
      say: () => {},
    }, factories)
  );
  const late: Uint8Array[] = [];
  made.fromHost.onLate((bytes) => late.push(bytes));
  made.fromServer.onLate((bytes) => late.push(bytes));
  return { ...made, late };
}

function call(id: number, tool: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${tool}"}}\n`;
}

Deno.test("ChainWay gives a chunk of whole lines out as it came, without a copy", () => {
  const { fromHost } = ways(refusing);
  const chunk = encoder.encode(call(1, "a") + call(2, "b"));
  const out = fromHost.feed(chunk);
  assert(out.buffer === chunk.buffer);
  assertEquals([out.byteOffset, out.length], [chunk.byteOffset, chunk.length]);
});

Deno.test("ChainWay leaves out a line that is refused, and answers it at once", () => {
  const { fromHost, late } = ways(refusing);
  const lines = [call(1, "a"), call(2, "b"), call(3, "no"), call(4, "c")];
  assertEquals(
    decoder.decode(fromHost.feed(encoder.encode(lines.join("")))),
    [lines[0], lines[1], lines[3]].join(""),
  );
  assertEquals(late.map((bytes) => JSON.parse(decoder.decode(bytes)).id), [3]);
});

Deno.test("ChainWay gives nothing out for a chunk without the end of a line", () => {
  const { fromHost } = ways(refusing);
  assertEquals(fromHost.feed(encoder.encode(call(1, "a").slice(0, 20))).length, 0);
  assertEquals(decoder.decode(fromHost.feed(encoder.encode(call(1, "a").slice(20)))), call(1, "a"));
});

Deno.test("ChainWay gives out the bytes that came, however they are cut", async () => {
  const line = fc.oneof(
    fc.constant(call(1, "a")),
    fc.constant('[{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":4,"result":{}}]\r\n'),
    fc.constant("\n"),
    fc.constant("not JSON\n"),
    fc.string().map((text) => `{"é":${JSON.stringify(text)}}\n`),
  );
  const cuts = fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.array(line), cuts, fc.boolean(), async (lines, sizes, isWhole) => {
      const sent = encoder.encode(lines.join("") + (isWhole ? "" : call(9, "b").trimEnd()));
      for (const side of ["fromHost", "fromServer"] as const) {
        const { late, [side]: way } = ways(() => ({ name: "idle", onMessage: () => PASS }));
        const got: Uint8Array[] = [];
        // One buffer for all chunks, at a place that moves, as a pipe's reader lends it.
        const buffer = new Uint8Array(64);
        for (let at = 0, i = 0; at < sent.length; i++) {
          const size = (sizes[i % sizes.length] ?? 0) + 1;
          const part = sent.subarray(at, at + size);
          const chunk = buffer.subarray(i % 8, i % 8 + part.length);
          chunk.set(part);
          got.push(way.feed(chunk).slice());
          at += size;
        }
        await way.end();
        assertEquals(decoder.decode(concat([...got, ...late])), decoder.decode(sent));
      }
    }),
  );
});

Deno.test("ChainWay gives nothing out after its end", async () => {
  const { chain, fromHost, fromServer, late } = ways(refusing);
  await fromHost.end();
  await fromServer.end();
  chain.fromHost(encoder.encode(call(3, "no").trimEnd()));
  assertEquals(late.length, 0);
  assert(!chain.holds("3"));
});
