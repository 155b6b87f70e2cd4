import { assertEquals } from "@std/assert";
import { EventBlocks } from "../wire/event_blocks.ts";
import { InterceptedReply } from "./intercepted_reply.ts";

const encoder = new TextEncoder();
const HEAD = {
  status: 200,
  headers: [["content-type", "text/event-stream"]] as [string, string][],
};
const answer = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}`;
const NOTE = '{"jsonrpc":"2.0","method":"n"}';

/** A reply, and an upstream's stream into it of which some answers are held. */
function streaming(keys: readonly string[], held: Set<string>) {
  const gone: string[][] = [];
  const reply = new InterceptedReply(new Request("http://127.0.0.1/"), keys, {
    onGone: (waiting) => gone.push([...waiting]),
    holds: (key) => held.has(key),
  });
  const blocks = new EventBlocks();
  return {
    reply,
    gone,
    /** What the upstream writes; messages that no held answer is in come out at once. */
    writes(text: string): void {
      for (const block of blocks.push(encoder.encode(text))) {
        const { raw, event } = block;
        if (event === undefined || event.data.length === 0) reply.block(block);
        else {
          reply.arrives({ line: event.data, raw, id: event.id });
          const words = new TextDecoder().decode(event.data);
          if (![...held].some((key) => words.includes(`"id":${key},`))) reply.line(event.data);
        }
      }
    },
    says: (text: string) => reply.line(encoder.encode(text)),
  };
}

Deno.test("no event has an id while an answer is held, and the answer has the last one", async () => {
  const held = new Set<string>();
  const { reply, writes, says } = streaming(["1"], held);
  reply.events(HEAD);
  writes(`id: a\ndata: ${NOTE}\n\n`);
  held.add("1");
  writes(`id: b\ndata: ${answer(1)}\n\n`);
  writes(`id: c\ndata: ${NOTE}\n\nid: d\n\n: still here\n\n`);
  held.clear();
  says(answer(1));
  writes(`id: e\ndata: ${NOTE}\n\n`);
  reply.upstreamOver();
  assertEquals(
    await (await reply.response).text(),
    `id: a\ndata: ${NOTE}\n\n` +
      `event: message\ndata: ${NOTE}\n\n: still here\n\n` +
      `event: message\nid: d\ndata: ${answer(1)}\n\n` +
      `id: e\ndata: ${NOTE}\n\n`,
  );
});

Deno.test("a held answer that is not changed goes on as it came", async () => {
  const held = new Set(["1"]);
  const { reply, writes, says } = streaming(["1"], held);
  reply.events(HEAD);
  const event = `x: 1\nid: b\r\ndata:${answer(1)}\n\n`;
  writes(event);
  reply.upstreamOver();
  held.clear();
  says(answer(1));
  assertEquals(await (await reply.response).text(), event);
});

Deno.test("a stream that its host leaves says which answers nobody gets", async () => {
  const { reply, writes, gone } = streaming(["1", "2"], new Set());
  reply.events(HEAD);
  writes(`data: ${answer(1)}\n\n`);
  await (await reply.response).body?.cancel();
  writes(`data: ${answer(2)}\n\n`);
  reply.upstreamOver();
  assertEquals(gone, [["2"]]);
});

Deno.test("a body of several answers is one array, of one it is as it came", async () => {
  const several = new InterceptedReply(new Request("http://127.0.0.1/"), ["1", "2"], {
    onGone() {},
    holds: () => false,
  });
  several.line(encoder.encode(answer(1)));
  several.line(encoder.encode(answer(2)));
  assertEquals(await (await several.response).text(), `[${answer(1)},${answer(2)}]`);
  const one = new InterceptedReply(new Request("http://127.0.0.1/"), ["1"], {
    onGone() {},
    holds: () => false,
  });
  const raw = encoder.encode(answer(1).replace(",", ",\n") + "\n");
  const line = raw.map((byte) => byte === 10 ? 0x20 : byte);
  one.body({ status: 200, headers: [] });
  one.arrives({ line, raw, id: undefined });
  one.line(line);
  assertEquals(await (await one.response).bytes(), raw);
});
