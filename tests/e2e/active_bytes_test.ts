/**
 * `--listen --upstream` with a flow: what nothing acts on reaches the host as the upstream
 * wrote it, and what a broken stream owes is acted on when the host fetches it.
 */

import { assertEquals } from "@std/assert";
import { RETAIL_TOOLS } from "../../lib/demo/retail.ts";
import { type HttpHost, ListeningProxy, toolCall } from "../util/listening_proxy.ts";
import { learnRetail } from "../util/retail_flow.ts";
import { answer, ScriptedUpstream, stream } from "../util/scripted_upstream.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

const dir = await Deno.makeTempDir({ prefix: "hoist-test-" });
const FLOW = await learnRetail(dir);
globalThis.addEventListener("unload", () => Deno.removeSync(dir, { recursive: true }));

const find = (id: Json, n: number) =>
  toolCall(id, "find_user_id_by_email", { email: `c${n}@example.com` });
const HEADING =
  "--- Also looked up automatically (current results; no need to repeat these calls) ---";

/** What the shop answers. */
function shopAnswer({ id, method, params }: Json): Json {
  if (method === "tools/list") {
    const tools = RETAIL_TOOLS.map(({ name, properties, required, readOnlyHint }) => ({
      name,
      inputSchema: { type: "object", properties, required },
      annotations: { readOnlyHint },
    }));
    return { jsonrpc: "2.0", id, result: { tools } };
  }
  const tool = RETAIL_TOOLS.find(({ name }) => name === params?.name);
  return method === "tools/call" ? answer(id, tool?.run(params.arguments).text ?? "") : undefined;
}

async function acting(upstream: ScriptedUpstream): Promise<[ListeningProxy, HttpHost]> {
  const proxy = await ListeningProxy.start({
    server: ["--upstream", upstream.url],
    flags: ["--flow", FLOW],
    record: true,
  });
  return [proxy, await proxy.open("2025-06-18")];
}

Deno.test("a body that nothing acts on keeps its bytes, and one that is acted on all but the item", async () => {
  const pretty = (value: Json) => JSON.stringify(value, null, 2).replaceAll("\n", "\r\n") + "\n";
  await using upstream = new ScriptedUpstream(({ body }) => {
    const reply = shopAnswer(body ?? {});
    return reply &&
      new Response(pretty(reply), { headers: { "content-type": "application/json" } });
  });
  const [proxy, host] = await acting(upstream);
  await using _ = proxy;
  const other = toolCall(1, "get_product_details", { product_id: "p" });
  assertEquals(await (await host.post(other)).text(), pretty(shopAnswer(other)));
  const text = await (await host.post(find(2, 5))).text();
  const plain = pretty(shopAnswer(find(2, 5)));
  const at = plain.indexOf("}", plain.indexOf('"text"')) + 1;
  const more = text.length - plain.length;
  assertEquals([text.slice(0, at), text.slice(at + more)], [plain.slice(0, at), plain.slice(at)]);
  assertEquals(JSON.parse(`[0${text.slice(at, at + more)}]`)[1].text.split("\n")[1], HEADING);
});

Deno.test("events that nothing acts on keep their bytes: comments, ends of lines, other fields", async () => {
  const note = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info" } };
  const before = [
    ": ping\n\n",
    "retry: 7\nid: 1\ndata: \n\n",
    `x: 1\ndata:${JSON.stringify(note)}\r\n\r\n`,
  ];
  const result = (reply: Json) => `event: message\nid: 2\ndata: ${JSON.stringify(reply)}\n\n`;
  await using upstream = new ScriptedUpstream(({ body }) => {
    const reply = shopAnswer(body ?? {});
    return reply && stream(...before, result(reply), ": bye\n\n", "data: cut");
  });
  const [proxy, host] = await acting(upstream);
  await using _ = proxy;
  const other = toolCall(1, "get_product_details", { product_id: "p" });
  const plain = before.join("") + result(shopAnswer(other)) + ": bye\n\ndata: cut";
  assertEquals(await (await host.post(other)).text(), plain);
  const text = await (await host.post(find(2, 5))).text();
  assertEquals(
    text.startsWith(before.join("") + ": bye\n\nevent: message\nid: 2\ndata: {"),
    true,
    text,
  );
  assertEquals(text.includes(HEADING), true);
});

Deno.test("an answer that is fetched with Last-Event-ID has its lookups, and its session knows it", async () => {
  let asked: Json;
  await using upstream = new ScriptedUpstream(({ body, method, headers }) => {
    if (method === "GET") {
      assertEquals(headers.get("last-event-id"), "e1");
      return stream(": again\n\n", `id: e2\ndata: ${JSON.stringify(shopAnswer(asked))}\n\n`);
    }
    if (body?.id !== "broken") {
      const reply = shopAnswer(body ?? {});
      return reply && Response.json(reply);
    }
    asked = body;
    return stream("id: e1\nretry: 1\ndata: \n\n");
  });
  const [proxy, host] = await acting(upstream);
  await using _ = proxy;
  const broken = await (await host.post(find("broken", 5))).text();
  assertEquals(broken, "id: e1\nretry: 1\ndata: \n\n");
  const text = await (await host.get({ "last-event-id": "e1" })).text();
  assertEquals(text.startsWith(": again\n\nevent: message\nid: e2\ndata: {"), true, text);
  assertEquals([text.includes(HEADING), text.includes("get_user_details {")], [true, true]);
  const again = await (await host.post(find(3, 5))).json();
  assertEquals(again.result.content.length, 1, "the session has seen it all");
});

Deno.test("a list that changes is noticed where the session's GET stream says so", async () => {
  const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
  let isGone = false;
  await using upstream = new ScriptedUpstream(({ body, method }) => {
    if (method === "GET") {
      isGone = true;
      return stream(`data: ${JSON.stringify(changed)}\n\n`);
    }
    const reply = shopAnswer(body ?? {});
    if (isGone && body?.method === "tools/list") reply.result.tools = [];
    return reply && Response.json(reply);
  });
  const [proxy, host] = await acting(upstream);
  await using _ = proxy;
  assertEquals((await (await host.post(find(1, 5))).json()).result.content.length, 2);
  assertEquals(await (await host.get()).text(), `data: ${JSON.stringify(changed)}\n\n`);
  assertEquals((await (await host.post(find(2, 6))).json()).result.content.length, 1);
});

const text = (words: string) => new TextEncoder().encode(words);
const result = (id: Json) => JSON.stringify(answer(id, "x"));
const note = '{"jsonrpc":"2.0","method":"notifications/x"}';
const json = (body: string | Uint8Array<ArrayBuffer>, status = 200) =>
  new Response(body, {
    status,
    headers: { "content-type": "application/json; a=b", "x-odd": "1" },
  });

/** What an upstream may answer, by the name of the tool that was called. */
const ANSWERS: Readonly<Record<string, (id: Json) => Response>> = {
  json: (id) => json(result(id)),
  pretty: (id) => json(JSON.stringify(answer(id, "x"), null, 4) + "\r\n"),
  mark: (id) => json("\ufeff" + result(id)),
  empty: () => json(""),
  wrong: () => json("<html>"),
  page: () => new Response("<html>", { headers: { "content-type": "text/html" } }),
  taken: () => new Response(null, { status: 202 }),
  lost: () => json('{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}', 404),
  failed: (id) => json(`{"jsonrpc":"2.0","id":${id},"error":{"code":1,"message":"x"}}`, 500),
  other: () => json(result("other")),
  bytes: (id) =>
    json(new Uint8Array([...text(`{"id":${id},"result":{"x":"`), 0xff, ...text('"}}')])),
  array: (id) => json(`[${result(id)}, ${note}]`),
  events: (id) => stream(`data: ${note}\n\n`, `data: ${result(id)}\n\n`, `data: ${note}\n\n`),
  lines: (id) =>
    stream(
      `event: foo\nid: 3\ndata: no json\n\n`,
      `data: ${note}\r\r`,
      `data:${result(id)}\r\n\r\n`,
    ),
  joined: (id) =>
    stream(JSON.stringify(answer(id, "x"), null, 1).replace(/^/gm, "data: ") + "\n\n"),
  twice: (id) => stream(`data: ${result(id)}\n\n`, `data: ${result(id)}\n\n`),
  batch: (id) => stream(`data: [${note},${result(id)}]\n\n`),
  none: () => stream(),
  cut: (id) => stream(`data: ${note}\n\n`, `data: ${result(id).slice(0, 9)}`),
};

Deno.test("whatever an upstream answers, a session that nothing acts on gets it as a plain one", async () => {
  await using upstream = new ScriptedUpstream(({ body }) => {
    const [call] = [body].flat();
    return ANSWERS[call?.params?.name]?.(call.id);
  });
  const server = ["--upstream", upstream.url];
  const flags = ["--flow", FLOW, "--guards", "--domain", "retail", "--commit"];
  await using plain = await ListeningProxy.start({ server });
  await using acted = await ListeningProxy.start({ server, flags });
  const hosts = [await plain.open("2025-03-26"), await acted.open("2025-03-26")];
  for (const name of Object.keys(ANSWERS)) {
    const call = toolCall(1, name);
    for (const body of [call, [call, JSON.parse(note)], JSON.stringify(call, null, 1) + "\r\n"]) {
      const seen = upstream.seen.length;
      const [one, two] = await Promise.all(hosts.map(async (host) => {
        const response = await host.post(body);
        const head = ["content-type", "x-odd"].map((field) => response.headers.get(field));
        return [response.status, ...head, await response.bytes()];
      }));
      assertEquals(two, one, `${name} ${JSON.stringify(body)}`);
      const [sent, same] = upstream.seen.slice(seen).map((request) => request.text);
      assertEquals(same, sent, name);
    }
  }
});
