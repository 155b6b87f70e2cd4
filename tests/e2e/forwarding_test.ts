/**
 * Hosts over HTTP, a server over HTTP: `hoist-mcp --listen --upstream` on a real
 * process, with a scripted server that does not do as it should.
 */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ListeningProxy, toolCall } from "../util/listening_proxy.ts";
import { answer, ScriptedUpstream } from "../util/scripted_upstream.ts";

/** All that a proxy says that records and has nothing to complain of. */
const RECORDING = /^hoist-mcp: recording to [^\n]*, one log per session\n$/;

Deno.test("hoist-mcp --listen --upstream records an answer that comes after the DELETE", async () => {
  const held = Promise.withResolvers<Response>();
  await using upstream = new ScriptedUpstream(({ body }) =>
    body?.method === "tools/call" ? held.promise : undefined
  );
  await using proxy = await ListeningProxy.start({
    server: ["--upstream", upstream.url],
    record: true,
  });
  const host = await proxy.open();
  const call = host.call(1, "slow");
  while (upstream.of("tools/call").length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assertEquals(await host.delete(), 200);
  held.resolve(Response.json(answer(1, "late")));
  assertEquals((await call).at(-1), answer(1, "late"));
  proxy.kill("SIGTERM");
  assertEquals(await proxy.exit(), 0);
  assertMatch(await proxy.stderr(), RECORDING);
  const [log = "", ...more] = await proxy.logs();
  assertEquals(more, []);
  assertEquals(JSON.parse(log.trimEnd().split("\n").at(-1) ?? "").message, answer(1, "late"));
});

Deno.test("hoist-mcp --listen --upstream cuts an answer that its upstream cut, and says nothing", async () => {
  await using upstream = new ScriptedUpstream(({ body }) =>
    body?.method !== "tools/call" ? undefined : new Response("not gzip", {
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
    })
  );
  await using proxy = await ListeningProxy.start({
    server: ["--upstream", upstream.url],
    record: true,
  });
  const host = await proxy.open();
  const response = await host.post(toolCall(1, "cut"));
  await assertRejects(() => response.text());
  proxy.kill("SIGTERM");
  assertEquals(await proxy.exit(), 0);
  assertMatch(await proxy.stderr(), RECORDING);
});
