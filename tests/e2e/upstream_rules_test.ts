/**
 * `hoist-mcp --upstream` as a client of Streamable HTTP, rule by rule: headers of
 * each request, the GET stream, the second try of a modern call, the end.
 */

import { assert, assertEquals } from "@std/assert";
import { toolCall } from "../util/listening_proxy.ts";
import { answer, stream } from "../util/scripted_upstream.ts";
import { Wire } from "../util/upstream_wire.ts";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const note = (n: number) => ({ jsonrpc: "2.0", method: "notifications/n", params: { n } });

Deno.test("hoist-mcp --upstream says what it sends and what it takes, on each request (C1)", async () => {
  await using wire = await Wire.start();
  await wire.hello();
  await wire.send(toolCall(1, "t"));
  await wire.next();
  while (wire.upstream.of("GET").length === 0) await new Promise((r) => setTimeout(r, 10));
  assertEquals(await wire.end(), 0);
  const { seen } = wire.upstream;
  const rows = seen.map((s) => [s.method, s.headers.get("content-type"), s.headers.get("accept")]);
  const post = ["POST", "application/json", "application/json, text/event-stream"];
  assertEquals(rows.filter(([method]) => method === "POST"), [post, post, post]);
  assertEquals(rows.filter(([method]) => method === "GET"), [["GET", null, "text/event-stream"]]);
  const sessions = seen.slice(1).map((s) => s.headers.get("mcp-session-id"));
  assertEquals([seen[0]?.headers.get("mcp-session-id"), new Set(sessions).size], [null, 1]);
  assertEquals(wire.upstream.sessions.size, 0, "it was ended");
});

for (const status of [400, 401, 403, 404, 405, 406, 410, 501]) {
  Deno.test(`hoist-mcp --upstream takes ${status} to GET for a server without such a stream (C11)`, async () => {
    const asked = Promise.withResolvers<void>();
    await using wire = await Wire.start(({ method }) => {
      if (method !== "GET") return undefined;
      asked.resolve();
      return new Response(null, { status });
    });
    await wire.hello();
    await asked.promise;
    await wire.send(toolCall(1, "t"));
    assertEquals(await wire.next(), [answer(1, "ok")]);
    assertEquals(await wire.end(), 0);
    assertEquals(wire.upstream.of("initialize").length, 1, "the session lives");
    assertEquals(wire.upstream.of("GET").length, 1, "and it is not asked again");
  });
}

Deno.test("hoist-mcp --upstream opens a GET stream that ends again, after its last event (C12)", async () => {
  const lasts: (string | null)[] = [];
  await using wire = await Wire.start(({ method, headers }) => {
    if (method !== "GET") return undefined;
    lasts.push(headers.get("last-event-id"));
    if (lasts.length > 3) return new Response(new ReadableStream(), { headers: EVENTS });
    const n = lasts.length;
    return stream(`retry: 20\nid: e${n}\ndata: ${JSON.stringify(note(n))}\n\n`);
  });
  await wire.hello();
  assertEquals((await wire.next(3)).map((m) => m.params.n), [1, 2, 3], "each once, in order");
  while (lasts.length < 4) await new Promise((resolve) => setTimeout(resolve, 10));
  assertEquals(lasts, [null, "e1", "e2", "e3"]);
  assertEquals(await wire.end(), 0);
});
const EVENTS = { "content-type": "text/event-stream" };

Deno.test("hoist-mcp --upstream hands the server's own requests on, and their answers back (C2, C5)", async () => {
  const answered = Promise.withResolvers<void>();
  await using wire = await Wire.start(({ body }) => {
    if (body?.id === 1 && body.result !== undefined) {
      answered.resolve();
      return new Response(null, { status: 202 });
    }
    if (body?.method !== "tools/call") return undefined;
    const ask = { jsonrpc: "2.0", id: 1, method: "roots/list" };
    const chunks = new ReadableStream<Uint8Array>({
      async start(controller) {
        const send = (m: unknown) =>
          controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(m)}\n\n`));
        send(ask);
        await answered.promise;
        send(answer(1, "asked"));
        controller.close();
      },
    });
    return new Response(chunks, { headers: EVENTS });
  });
  await wire.hello();
  await wire.send(toolCall(1, "t"));
  assertEquals((await wire.next())[0].method, "roots/list");
  await wire.send({ jsonrpc: "2.0", id: 1, result: { roots: [] } });
  assertEquals(await wire.next(), [answer(1, "asked")], "two ids 1, one of each side");
  assertEquals(await wire.end(), 0);
});

Deno.test("hoist-mcp --upstream lists the tools and tries once more when headers did not match (C21, C24)", async () => {
  const _meta = { [VERSION]: "2026-07-28", [CAPABILITIES]: {} };
  let lists = 0;
  await using wire = await Wire.start(({ body, headers }) => {
    if (body?.method === "tools/list") {
      const header = `R${++lists}`;
      const properties = { r: { type: "string", "x-mcp-header": header } };
      const tools = [{ name: "t", inputSchema: { type: "object", properties } }];
      return Response.json({ jsonrpc: "2.0", id: body.id, result: { tools } });
    }
    if (body?.method !== "tools/call" || headers.get("mcp-param-r2") === "x") return undefined;
    const error = { code: -32020, message: "Header mismatch" };
    return Response.json({ jsonrpc: "2.0", id: body.id, error }, { status: 400 });
  });
  const call = toolCall(1, "t", { r: "x", text: "second" }, _meta);
  await wire.send(call);
  assertEquals(await wire.next(), [answer(1, "second")]);
  await wire.send({ ...call, id: 2, params: { ...call.params, arguments: { r: "never" } } });
  assertEquals((await wire.next())[0].error.code, -32020, "handed on the second time");
  assertEquals(await wire.end(), 0);
  const own = wire.upstream.of("tools/list");
  assertEquals(own.map((s) => s.body.params._meta[CAPABILITIES]), [{}, {}, {}]);
  assert(own.every((s) => s.body.id.startsWith("hoist-")));
  assertEquals(wire.upstream.of("tools/call").length, 4);
  assertEquals(wire.upstream.of("DELETE"), [], "there is no session");
});

Deno.test("hoist-mcp --upstream does not wait for a server that does not hear of the end (C16)", async () => {
  await using wire = await Wire.start(({ method }) =>
    method === "DELETE" ? new Promise<Response>(() => {}) : undefined
  );
  await wire.hello();
  assertEquals(await wire.end(), 0);
  assertEquals(wire.upstream.of("DELETE").length, 1);
});
