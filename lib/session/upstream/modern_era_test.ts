import { assertEquals } from "@std/assert";
import { json, result, type Sent, UpstreamRig } from "../../../tests/util/upstream_rig.ts";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const modern = (id: number, method: string, params = {}) => ({
  jsonrpc: "2.0",
  id,
  method,
  params: { ...params, _meta: { [VERSION]: "2026-07-28" } },
});
const call = (id: number) =>
  modern(id, "tools/call", { name: "t", arguments: { region: "eu", n: 1 } });
const tool = (name: string, properties: unknown) => ({
  name,
  inputSchema: { type: "object", properties },
});
const REGION = { region: { type: "string", "x-mcp-header": "Region" } };
const TWICE = { a: REGION.region, b: REGION.region };

/** Headers of the requests with a method, `Mcp-Method` and the version left out. */
const headersOf = (sent: readonly Sent[], method: string) =>
  sent.filter(({ message }) => message.method === method).map(({ headers }) =>
    Object.fromEntries(
      Object.entries(headers).filter(([name]) =>
        name === "Mcp-Name" || name.startsWith("Mcp-Param")
      ),
    )
  );

Deno.test("ModernEra takes headers from the message, and lists the tools once", async () => {
  const rig = new UpstreamRig(({ message }) =>
    json(result(message.id, message.method === "tools/list" ? { tools: [tool("t", REGION)] } : {}))
  );
  await rig.host(call(1), call(2));
  assertEquals(rig.sent.map(({ message }) => message.id), ["hoist-1", 1, 2]);
  assertEquals(rig.sent[1]?.headers, {
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "t",
    "Mcp-Param-Region": "eu",
  });
});

Deno.test("ModernEra reads every page, and stops at a cursor that is empty or repeated", async () => {
  for (
    const [cursors, asked] of [[["a", "b", undefined], 3], [["a", "a"], 2], [[""], 1]] as const
  ) {
    let page = 0;
    const rig = new UpstreamRig(({ message }) =>
      json(result(
        message.id,
        message.method === "tools/list"
          ? { tools: [tool(`t${page}`, {})], nextCursor: cursors[page++] }
          : {},
      ))
    );
    await rig.host(call(1));
    const lists = rig.sent.filter(({ message }) => message.method === "tools/list");
    assertEquals(lists.length, asked);
    assertEquals(rig.news().at(-1), `host < ${JSON.stringify(result(1))}`);
  }
});

Deno.test("ModernEra lists again and sends once more when the headers did not match", async () => {
  const mismatch = (id: number) => ({ jsonrpc: "2.0", id, error: { code: -32020, message: "no" } });
  let calls = 0;
  const rig = new UpstreamRig(({ message }) =>
    message.method === "tools/list"
      ? json(result(message.id, { tools: [tool("t", calls === 0 ? {} : REGION)] }))
      : json(++calls === 2 ? result(1) : mismatch(message.id), { status: calls === 2 ? 200 : 400 })
  );
  const news = await rig.host(call(1));
  assertEquals(headersOf(rig.sent, "tools/call"), [
    { "Mcp-Name": "t" },
    { "Mcp-Name": "t", "Mcp-Param-Region": "eu" },
  ]);
  assertEquals(news.at(-1), `host < ${JSON.stringify(result(1))}`);
  assertEquals((await rig.host(call(3))).at(-1), `host < ${JSON.stringify(mismatch(3))}`, "once");
});

Deno.test("ModernEra leaves a tool with a faulty annotation out of the host's list", async () => {
  const list = { tools: [tool("bad", TWICE), tool("t", REGION)] };
  const rig = new UpstreamRig(({ message }) => json(result(message.id, list)));
  const news = await rig.host(modern(1, "tools/list"));
  const kept = `host < ${JSON.stringify(result(1, { tools: [tool("t", REGION)] }))}`;
  assertEquals(news.slice(1), [
    'say tool "bad" is left out of the list: x-mcp-header at b: "Region" is used twice',
    kept.replace("host <", "log proxy"),
    kept,
  ]);
});
