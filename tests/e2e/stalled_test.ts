/**
 * Hosts over HTTP, and a host of an upstream, that stop reading in the middle of
 * a flood: what the proxy holds for them is bounded, nothing is lost when they
 * read on, and other sessions go on meanwhile.
 *
 * Bug rows of other proxies that this keeps out: R14.
 */

import { assert, assertEquals } from "@std/assert";
import { EventStreamParser } from "../../lib/wire/event_stream.ts";
import { executable, ROOT } from "../util/executables.ts";
import { ListeningProxy, toolCall } from "../util/listening_proxy.ts";
import { ManualHost, rssMb } from "../util/manual_host.ts";
import { answer, ScriptedUpstream } from "../util/scripted_upstream.ts";

const SERVER = ["--", Deno.execPath(), "run", "-A", `${ROOT}/tests/bench/echo_server.ts`];
/** A flood of 80 MB. */
const COUNT = 1_600, BYTES = 50_000;
const BOUND_MB = 48;

/** Calls another session while the proxy's memory is watched; the most it grew by. */
async function meanwhile(proxy: ListeningProxy, work: () => Promise<void>): Promise<number> {
  const before = await rssMb(proxy.pid);
  let most = 0;
  for (let i = 0; i < 20; i++) {
    await work();
    most = Math.max(most, await rssMb(proxy.pid) - before);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return most;
}

/** Reads an event stream until it has so many events with a message, or ends; how many. */
async function count(response: Response, limit = Infinity): Promise<number> {
  const parser = new EventStreamParser();
  const reader = response.body?.getReader();
  assert(reader !== undefined);
  let events = 0;
  while (events < limit) {
    const { value, done } = await reader.read();
    if (done) return events;
    parser.push(value, ({ data }) => events += data.length > 0 ? 1 : 0);
  }
  await reader.cancel();
  return events;
}

Deno.test("hoist-mcp --listen holds a bounded part of an answer's stream that nobody reads (R14)", async () => {
  await using proxy = await ListeningProxy.start({ server: SERVER });
  const [stalled, other] = [await proxy.open(), await proxy.open()];
  await other.call(1, "echo", { text: "warm" });
  const response = await stalled.post(toolCall(1, "flood", { count: COUNT, bytes: BYTES }));
  const grown = await meanwhile(proxy, async () => {
    const [said] = await other.call(2, "echo", { text: "goes on" });
    assertEquals(said.result.content[0].text, "goes on");
  });
  assert(grown < BOUND_MB, `grew by ${grown} MB`);
  assertEquals(await count(response), COUNT + 1, "all of the flood, and the answer");
});

Deno.test("hoist-mcp --listen holds a bounded part of a GET stream that nobody reads (R14)", async () => {
  await using proxy = await ListeningProxy.start({ server: SERVER });
  const [stalled, other] = [await proxy.open(), await proxy.open()];
  await other.call(1, "echo", { text: "warm" });
  const stream = await stalled.get();
  // A host that takes one body: the flood can only go to its GET stream.
  const answered = stalled.post(toolCall(1, "flood", { count: COUNT, bytes: BYTES }), {
    accept: "application/json",
  });
  const grown = await meanwhile(proxy, async () => void await other.call(2, "echo", { text: "x" }));
  assert(grown < BOUND_MB, `grew by ${grown} MB`);
  assertEquals(await count(stream, COUNT), COUNT);
  assertEquals((await (await answered).json()).id, 1);
});

Deno.test("hoist-mcp --upstream holds a bounded part of a stream for a host that reads nothing (R14)", async () => {
  const event = new TextEncoder().encode(
    `data: {"jsonrpc":"2.0","method":"notifications/x","params":"${"z".repeat(BYTES)}"}\n\n`,
  );
  let sent = 0;
  await using upstream = new ScriptedUpstream(({ body }) => {
    if (body?.method !== "tools/call") return undefined;
    const end = new TextEncoder().encode(`data: ${JSON.stringify(answer(body.id, "done"))}\n\n`);
    return new Response(
      new ReadableStream({
        pull(controller) {
          controller.enqueue(sent++ < COUNT ? event : end);
          if (sent > COUNT) controller.close();
        },
      }),
      { headers: { "content-type": "text/event-stream" } },
    );
  });
  await using host = await ManualHost.start({
    direct: true,
    server: [...executable("hoist-mcp"), "--upstream", upstream.url],
  });
  await host.send(JSON.stringify(toolCall(1, "flood")) + "\n");
  await host.readUntil((_, bytes) => bytes > 100_000);
  const before = await rssMb(host.pid);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const grown = await rssMb(host.pid) - before;
  assert(grown < BOUND_MB, `grew by ${grown} MB`);
  assert(sent < COUNT, "the upstream is held up too");
  await host.lines(COUNT + 1);
  await host.close();
  assertEquals(await host.exit(), 0);
});
