/**
 * Servers over HTTP that keep to the letter or to nothing, behind
 * `hoist-mcp --upstream`: what they hold up, cut, name oddly or leave out.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { executable } from "../util/executables.ts";
import { toolCall } from "../util/listening_proxy.ts";
import { ManualHost } from "../util/manual_host.ts";
import { answer, stream } from "../util/scripted_upstream.ts";
import { INITIALIZE, INITIALIZED, Wire } from "../util/upstream_wire.ts";

const EVENTS = { headers: { "content-type": "text/event-stream" } };
const SHORT = { flags: ["--exit-grace", "0.3"] };
const never = () => new Promise<Response>(() => {});

Deno.test("hoist-mcp --upstream ends with its host while initialize is not answered", async () => {
  await using wire = await Wire.start(
    ({ body }) => body?.method === "initialize" ? never() : undefined,
    SHORT,
  );
  await wire.send(INITIALIZE, INITIALIZED, toolCall(1, "t"));
  assertEquals(await wire.end(), 0);
  const answers = await wire.next(2);
  assertEquals(answers.map((m) => [m.id, m.error.code]), [[0, -32603], [1, -32603]]);
  assertEquals(wire.upstream.seen.length, 1, "what waited for the answer was not sent");
});

Deno.test("hoist-mcp --upstream sends on once notifications/initialized is taken, whatever body is held open", async () => {
  await using wire = await Wire.start(({ body }) =>
    body?.method === "notifications/initialized"
      ? new Response(new ReadableStream(), EVENTS)
      : undefined
  );
  await wire.hello();
  await wire.send(toolCall(1, "t", { text: "on" }));
  assertEquals(await wire.next(), [answer(1, "on")]);
  wire.host.kill("SIGTERM");
  assertEquals(await wire.host.exit(), 0);
});

Deno.test("hoist-mcp --upstream ends with its host while notifications/initialized is not taken", async () => {
  await using wire = await Wire.start(
    ({ body }) => body?.method === "notifications/initialized" ? never() : undefined,
    SHORT,
  );
  await wire.hello();
  await wire.send(toolCall(1, "t"));
  assertEquals(await wire.end(), 0);
  assertEquals((await wire.next()).map((m) => [m.id, m.error.code]), [[1, -32603]]);
});

Deno.test("hoist-mcp --upstream ends the session after all that its host said is taken (C16)", async () => {
  const order: string[] = [];
  await using wire = await Wire.start(async ({ method, body }) => {
    if (method === "DELETE") order.push("DELETE");
    if (body?.method !== "notifications/last") return undefined;
    await new Promise((resolve) => setTimeout(resolve, 200));
    order.push("taken");
    return new Response(null, { status: 202 });
  });
  await wire.send(INITIALIZE, INITIALIZED, { jsonrpc: "2.0", method: "notifications/last" });
  assertEquals(await wire.end(), 0);
  assertEquals(order, ["taken", "DELETE"]);
});

Deno.test("hoist-mcp --upstream reads a line that begins with many spaces", async () => {
  await using wire = await Wire.start();
  await wire.hello();
  await wire.host.send(" ".repeat(100) + "\n\r\n", " ".repeat(100));
  await wire.send(toolCall(1, "t"));
  assertEquals(await wire.next(), [answer(1, "ok")]);
  assertEquals(await wire.end(), 0);
});

Deno.test("hoist-mcp --upstream passes over events of other types, and keeps their ids", async () => {
  const note = JSON.stringify({ jsonrpc: "2.0", method: "notifications/x" });
  await using wire = await Wire.start(({ method, headers, body }) => {
    if (body?.method === "tools/call") {
      return stream(`event: ping\ndata: ${note}\n\n`, "event: mark\nretry: 10\nid: 5\ndata: x\n\n");
    }
    if (method !== "GET" || headers.get("last-event-id") !== "5") return undefined;
    return stream(`event: message\ndata: ${JSON.stringify(answer(1, "resumed"))}\n\n`);
  });
  await wire.hello();
  await wire.send(toolCall(1, "t"));
  assertEquals(await wire.next(), [answer(1, "resumed")]);
  assertEquals(await wire.end(), 0);
});

for (const [name, id] of [["emptied", ""], ["beyond ASCII", "é🚀"]] as const) {
  Deno.test(`hoist-mcp --upstream takes a stream up after no id that is ${name}`, async () => {
    await using wire = await Wire.start(({ body }) =>
      body?.method === "tools/call"
        ? stream("retry: 10\nid: 5\ndata:\n\n", `id: ${id}\ndata:\n\n`)
        : undefined
    );
    await wire.hello();
    await wire.send(toolCall(1, "t"));
    assertEquals((await wire.next())[0].error.code, -32603, "nothing to resume after");
    assertEquals(await wire.end(), 0);
    const gets = wire.upstream.of("GET").map((s) => s.headers.get("last-event-id"));
    assertEquals(gets.filter((last) => last !== null), []);
  });
}

Deno.test("hoist-mcp --upstream hands a 404 for a method on, and keeps the session (C22)", async () => {
  const error = { code: -32601, message: "Method not found" };
  await using wire = await Wire.start(({ body }) =>
    body?.method === "tools/call"
      ? Response.json({ jsonrpc: "2.0", id: body.id, error }, { status: 404 })
      : undefined
  );
  await wire.hello();
  await wire.send(toolCall(1, "t"));
  assertEquals((await wire.next())[0], { jsonrpc: "2.0", id: 1, error });
  assertEquals(await wire.end(), 0);
  assertEquals(wire.upstream.of("initialize").length, 1);
});

Deno.test("hoist-mcp --upstream says why a server cannot be reached, and not the URL", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const closing = (async () => {
    for await (const connection of listener) connection.close();
  })();
  const { port } = listener.addr;
  await using host = await ManualHost.start({
    direct: true,
    server: [...executable("hoist-mcp"), "--upstream", `http://127.0.0.1:${port}/mcp?key=s3cret`],
  });
  await host.send(JSON.stringify(INITIALIZE) + "\n");
  await host.lines(1);
  const { message } = JSON.parse(host.text()).error;
  assertMatch(message, /^cannot reach the upstream: .*connection/i);
  assert(!message.includes("s3cret"), message);
  await host.close();
  assertEquals(await host.exit(), 0);
  listener.close();
  await closing;
});
