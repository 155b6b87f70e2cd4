import { assertEquals, assertRejects } from "@std/assert";
import { ScriptedUpstream } from "../../tests/util/scripted_upstream.ts";
import { UpstreamFetch } from "./upstream_fetch.ts";
import { PLAIN_NETWORK } from "./upstream_network.ts";

const body = new TextEncoder().encode('{"id":1}');
const headers = [["authorization", "Bearer x"], ["content-type", "application/json"]] as const;
const post = { method: "POST", headers, body };
const moved = (location: string, status = 307) =>
  new Response(null, { status, headers: { location } });

Deno.test("UpstreamFetch follows 307 inside the origin with method, body and headers", async () => {
  const paths: string[] = [];
  await using upstream = new ScriptedUpstream(({ text, headers, method }) => {
    paths.push(`${method} ${text} ${headers.get("authorization")}`);
    return paths.length === 1 ? moved("/mcp/") : new Response("done");
  });
  const response = await new UpstreamFetch(upstream.url, PLAIN_NETWORK).send(post);
  assertEquals(await response.text(), "done");
  assertEquals(paths, Array(2).fill('POST {"id":1} Bearer x'));
});

Deno.test("UpstreamFetch sends nothing to another origin, and says where the redirect leads", async () => {
  await using other = new ScriptedUpstream();
  await using upstream = new ScriptedUpstream(() => moved(`${other.url}?token=s3cret`, 308));
  const fetcher = new UpstreamFetch(upstream.url, PLAIN_NETWORK);
  const error = await assertRejects(() => fetcher.send(post), Error, "to another origin");
  assertEquals([error.message.includes("s3cret"), other.seen.length], [false, 0]);
});

Deno.test("UpstreamFetch ends a circle of redirects", async () => {
  await using upstream = new ScriptedUpstream(() => moved("/mcp"));
  const fetcher = new UpstreamFetch(upstream.url, PLAIN_NETWORK);
  await assertRejects(() => fetcher.send(post), Error, "redirects more than 5 times");
  assertEquals(upstream.seen.length, 6);
});

Deno.test("UpstreamFetch names the proxy of the environment when there is no connection", async () => {
  const gone = new ScriptedUpstream();
  await gone[Symbol.asyncDispose]();
  const proxy = { variable: "HTTP_PROXY", address: "127.0.0.1:9" };
  const fetcher = new UpstreamFetch(gone.url, { caCerts: [], proxy });
  await assertRejects(
    () => fetcher.send(post),
    Error,
    "cannot reach the upstream through the proxy 127.0.0.1:9 of HTTP_PROXY: ",
  );
  await assertRejects(
    () => new UpstreamFetch(gone.url, PLAIN_NETWORK).send(post),
    Error,
    "cannot reach the upstream: ",
  );
});
