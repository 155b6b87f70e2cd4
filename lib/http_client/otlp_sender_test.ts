import { assert, assertEquals, assertRejects } from "@std/assert";
import type { SessionSpan } from "../export/spans.ts";
import { otlpSender, tracesUrl } from "./otlp_sender.ts";
import { PLAIN_NETWORK } from "./upstream_network.ts";

const SPAN: SessionSpan = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: "00f067aa0ba902b7",
  parentSpanId: "00f067aa0ba902b8",
  link: { traceId: "1".repeat(32), spanId: "2".repeat(16) },
  name: "tools/call find",
  isRequest: true,
  startUnixMs: 1_500,
  endUnixMs: 2_750,
  error: "tool_error",
  attributes: { "mcp.method.name": "tools/call", "hoist.requests": 3 },
  place: 2,
};

/** A collector that answers with these statuses in turn; what it got. */
async function collector(
  statuses: readonly number[],
  use: (url: string, got: Uint8Array[]) => Promise<void>,
): Promise<void> {
  const got: Uint8Array[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    assertEquals(new URL(request.url).pathname, "/v1/traces");
    assertEquals(request.headers.get("content-type"), "application/x-protobuf");
    assertEquals(request.headers.get("x-key"), "k");
    got.push(await request.bytes());
    return new Response(null, { status: statuses[got.length - 1] ?? 200 });
  });
  await use(`http://127.0.0.1:${server.addr.port}`, got);
  await server.shutdown();
}

const sender = (url: string, waits: number[] = []) =>
  otlpSender({
    url,
    headers: [["x-key", "k"]],
    network: PLAIN_NETWORK,
    pause: (ms) => Promise.resolve(void waits.push(ms)),
  });

Deno.test("otlpSender() sends protobuf that holds the span", () =>
  collector([], async (url, got) => {
    assertEquals(await (await sender(url))([SPAN]), 0);
    const [body = new Uint8Array()] = got;
    const text = Array.from(body, (byte) => String.fromCharCode(byte)).join("");
    for (const part of ["service.name", "hoist-mcp", SPAN.name, "mcp.method.name"]) {
      assert(text.includes(part), part);
    }
    for (const id of [SPAN.traceId, SPAN.spanId, SPAN.parentSpanId ?? "", "1".repeat(32)]) {
      const bytes = id.match(/../g)?.map((pair) => String.fromCharCode(parseInt(pair, 16))) ?? [];
      assert(text.includes(bytes.join("")), id);
    }
    // Nanoseconds since 1970, as 64 bits with the lowest byte first.
    const nanos = new DataView(new ArrayBuffer(8));
    nanos.setBigUint64(0, 2_750_000_000n, true);
    const end = Array.from(new Uint8Array(nanos.buffer), (byte) => String.fromCharCode(byte));
    assert(text.includes(end.join("")), "the end's time");
  }));

Deno.test("otlpSender() asks again what says later, and ends at what says no", async () => {
  const waits: number[] = [];
  await collector([503, 429, 200], async (url, got) => {
    await (await sender(url, waits))([SPAN]);
    assertEquals([got.length, waits], [3, [500, 1_000]]);
  });
  await collector([400], async (url) => {
    const send = await sender(url);
    await assertRejects(() => send([SPAN]), Error, "HTTP 400");
  });
  await collector(Array(9).fill(503), async (url, got) => {
    const send = await sender(url);
    await assertRejects(() => send([SPAN]), Error, "given up after 6 tries");
    assertEquals(got.length, 6);
  });
});

Deno.test("tracesUrl() adds the path to a collector's root alone", () => {
  assertEquals(tracesUrl("http://c:4318"), "http://c:4318/v1/traces");
  assertEquals(tracesUrl("http://c:4318/"), "http://c:4318/v1/traces");
  assertEquals(tracesUrl("https://c/otlp/v1/traces?k=1"), "https://c/otlp/v1/traces?k=1");
});
