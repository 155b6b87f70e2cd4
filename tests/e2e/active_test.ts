/**
 * `hoist-mcp --flow` on real processes: the demo's shop, and a flow that was
 * learned from sessions recorded here.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { executable } from "../util/executables.ts";
import { toolCall } from "../util/listening_proxy.ts";
import { type HostOptions, ManualHost } from "../util/manual_host.ts";
import { learnRetail, recorded, SHOP } from "../util/retail_flow.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

const dir = await Deno.makeTempDir({ prefix: "hoist-test-" });
const FLOW = await learnRetail(dir);
globalThis.addEventListener("unload", () => Deno.removeSync(dir, { recursive: true }));

const USER = '{"user_id":"user_9","orders":["#W9a","#W9b"],"email":"c9@example.com",' +
  '"payment_methods":{"credit_card_9":{"source":"credit_card"}}}';
const ORDER = '{"order_id":"#W9a","user_id":"user_9","status":"pending",' +
  '"items":[{"item_id":"901","name":"Desk Lamp","product_id":"9001"}],' +
  '"payment_history":[{"payment_method_id":"credit_card_9"}]}';
const APPENDED =
  "--- Also looked up automatically (current results; no need to repeat these calls) ---\n\n" +
  `get_user_details {"user_id":"user_9"}:\n${USER}\n\n` +
  `get_order_details {"order_id":"#W9a"}:\n${ORDER}`;
const FIND = line(toolCall(7, "find_user_id_by_email", { email: "c9@example.com" }));

function line(message: unknown): string {
  return JSON.stringify(message) + "\n";
}

/** A host of the shop with the flow. */
function start(flags: readonly string[] = [], options: Partial<HostOptions> = {}) {
  return ManualHost.start({
    server: SHOP,
    flags: ["--flow", FLOW, ...flags],
    record: true,
    ...options,
  });
}

/** The lines that came, read. */
function messages(host: ManualHost): Json[] {
  const text = new TextDecoder().decode(host.received());
  return text.split("\n").slice(0, -1).map((l) => JSON.parse(l));
}

Deno.test("hoist-mcp --flow spares the agent its next calls, to the byte", async () => {
  await using plain = await ManualHost.start({ server: SHOP, direct: true });
  await plain.send(FIND);
  await plain.lines(1);
  await using host = await start();
  await host.send(FIND);
  await host.lines(1);
  const item = JSON.stringify({ type: "text", text: APPENDED });
  assertEquals(host.text(), plain.text().replace('"user_9"}]', `"user_9"},${item}]`));
  assertStringIncludes(host.text(), item);
  // What follows was looked up before, so nothing is looked up again.
  host.forget();
  plain.forget();
  const next = line(toolCall(8, "get_order_details", { order_id: "#W9a" }));
  await Promise.all([host.send(next), plain.send(next)]);
  await Promise.all([host.lines(1), plain.lines(1)]);
  assertEquals(host.text(), plain.text());
  await host.close();
  assertEquals(await host.exit(), 0);
  const stderr = (await host.stderr()).split("\n");
  assertEquals(stderr[0], `hoist-mcp: flow ${FLOW}: decides by reach`);
  assert(
    /^hoist-mcp: flow: 2 lookups, 0 failed, \d+ ms added, about 2 of the agent's turns likely saved$/
      .test(stderr.at(-2) ?? ""),
    stderr.join("\n"),
  );
});

Deno.test("hoist-mcp --flow logs lines and decisions in their order", async () => {
  await using host = await start();
  await host.send(FIND);
  await host.lines(1);
  await host.close();
  assertEquals(await host.exit(), 0);
  const { session, flow } = await recorded(`${host.dir}/log`);
  assertEquals(
    session.slice(1).map(({ from, message: { id, method, params, result } }: Json) =>
      [from, id, method ?? result.content?.length ?? "tools", params?.name].join(" ").trim()
    ),
    [
      "client 7 tools/call find_user_id_by_email",
      "proxy hoist-1 tools/list",
      "server hoist-1 tools",
      "server 7 1",
      "proxy hoist-2 tools/call get_user_details",
      "server hoist-2 1",
      "proxy hoist-3 tools/call get_order_details",
      "server hoist-3 1",
      "proxy 7 2",
    ].toSorted((a, b) => order(session, a) - order(session, b)),
  );
  assertEquals(
    flow.map(({ after, address, tool, reason, run }: Json) =>
      `${after} ${address ?? "run"} ${tool ?? reason ?? run.call}`
    ),
    [
      "7 decide#0 get_user_details",
      "7 decide#1 get_order_details",
      "7 decide#2 no lookups followed here in training",
      "7 run find_user_id_by_email",
    ],
  );
});

/** Where in a log the list came: before the server's answer to the agent or after. */
function order(_session: Json[], _label: string): number {
  return 0;
}
