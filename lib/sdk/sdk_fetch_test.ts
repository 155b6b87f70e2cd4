import { assertEquals, assertStringIncludes } from "@std/assert";
import { PLAIN_NETWORK } from "../http_client/upstream_network.ts";
import { sdkFetch } from "./tool_client.ts";

Deno.test("sdkFetch() follows a redirect of the same origin with method, headers and body", async () => {
  const seen: string[] = [];
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      seen.push(
        `${request.method} ${pathname} ${request.headers.get("x-a")} ${await request.text()}`,
      );
      return pathname === "/mcp"
        ? new Response(null, { status: 307, headers: { location: "/mcp/" } })
        : new Response("done");
    },
  );
  const url = `http://127.0.0.1:${server.addr.port}/mcp`;
  const reply = await sdkFetch(url, PLAIN_NETWORK)(url, {
    method: "POST",
    headers: { "x-a": "1" },
    body: "{}",
  });
  assertEquals(await reply.text(), "done");
  assertEquals(seen, ["POST /mcp 1 {}", "POST /mcp/ 1 {}"]);
});

Deno.test("sdkFetch() says why there is no answer", async () => {
  const gone = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const url = `http://127.0.0.1:${gone.addr.port}/mcp`;
  gone.close();
  const why = await sdkFetch(url, PLAIN_NETWORK)(url).then(() => "", (error) => error.message);
  assertStringIncludes(why, "cannot reach the upstream");
});
