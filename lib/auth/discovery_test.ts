/** What hostile and broken metadata leads to: a clear error, and no request where none may go. */

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { discover } from "./discovery.ts";
import { oauthFetch } from "./oauth_fetch.ts";

const UPSTREAM = new URL("https://mcp.example.com/mcp");
const RESOURCE = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp";
const SERVER = "https://as.example.com/.well-known/oauth-authorization-server";
const FACTS = { resource: UPSTREAM.href, authorization_servers: ["https://as.example.com"] };
const METADATA = {
  issuer: "https://as.example.com",
  token_endpoint: "https://as.example.com/token",
  authorization_endpoint: "https://as.example.com/authorize",
};

/** A network of these pages; what is asked is noted. */
function network(pages: Readonly<Record<string, unknown>>) {
  const asked: string[] = [];
  const fetch = (url: string): Promise<Response> => {
    asked.push(url);
    if (url === UPSTREAM.href) {
      const headers = { "www-authenticate": String(pages["challenge"] ?? "Bearer") };
      return Promise.resolve(new Response(null, { status: 401, headers }));
    }
    const page = pages[url];
    if (typeof page === "number") return Promise.resolve(new Response("", { status: page }));
    return Promise.resolve(
      page === undefined ? new Response("", { status: 404 }) : Response.json(page),
    );
  };
  return { fetch, asked };
}

Deno.test("discover() finds the server, the resource and the scope", async () => {
  const { fetch } = network({
    challenge: 'Bearer scope="read"',
    [RESOURCE]: FACTS,
    [SERVER]: METADATA,
  });
  const found = await discover(UPSTREAM, fetch);
  assertEquals([found.resource, found.server.issuer, found.scope], [
    UPSTREAM.href,
    METADATA.issuer,
    "read",
  ]);
});

Deno.test("discover() takes an upstream of 2025-03-26 for its own server", async () => {
  const found = await discover(UPSTREAM, network({}).fetch);
  assertEquals(found.server.token_endpoint, "https://mcp.example.com/token");
});

const HOSTILE: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
  [
    "metadata of another resource",
    { [RESOURCE]: { ...FACTS, resource: "https://bank/mcp" } },
    "not about",
  ],
  [
    "no authorization server",
    { [RESOURCE]: { resource: UPSTREAM.href } },
    "names no authorization",
  ],
  ["an internal server", {
    [RESOURCE]: { ...FACTS, authorization_servers: ["https://169.254.169.254"] },
  }, "internal address"],
  ["a server without TLS", {
    [RESOURCE]: { ...FACTS, authorization_servers: ["http://as.example.com"] },
  }, "not https"],
  [
    "another issuer",
    { [RESOURCE]: FACTS, [SERVER]: { ...METADATA, issuer: "https://evil" } },
    "another issuer",
  ],
  ["an internal endpoint", {
    [RESOURCE]: FACTS,
    [SERVER]: { ...METADATA, token_endpoint: "https://127.0.0.1/token" },
  }, "token_endpoint"],
  ["a server that fails", { [RESOURCE]: FACTS, [SERVER]: 500 }, "HTTP 500"],
  ["no metadata", { [RESOURCE]: FACTS }, "has no metadata"],
  ["metadata that is no object", { [RESOURCE]: [1] }, "no JSON object"],
];

for (const [why, pages, message] of HOSTILE) {
  Deno.test(`discover() refuses ${why}`, async () => {
    const { fetch, asked } = network(pages);
    const error = await assertRejects(() => discover(UPSTREAM, fetch), Error);
    assertStringIncludes(error.message, message);
    assertEquals(asked.filter((url) => !/^https:\/\/(mcp|as)\.example\.com\//.test(url)), []);
  });
}

Deno.test("oauthFetch() asks no internal address of a public upstream", async () => {
  const fetch = oauthFetch(UPSTREAM, { client: undefined });
  await assertRejects(() => fetch("https://127.0.0.1:1/x"), Error, "internal address");
});

Deno.test("oauthFetch() gives up a server that is silent, and one that never ends", async () => {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    if (request.url.endsWith("/silent")) {
      return new Promise<Response>((resolve) =>
        request.signal.addEventListener("abort", () => resolve(new Response()))
      );
    }
    return new Response(
      new ReadableStream({
        pull: (to) => to.enqueue(new Uint8Array(65_536)),
      }),
    );
  });
  const base = `http://127.0.0.1:${server.addr.port}`;
  const fetch = oauthFetch(new URL(base), { client: undefined, withinMs: 200 });
  await assertRejects(() => fetch(`${base}/silent`), Error, "no answer within");
  const patient = oauthFetch(new URL(base), { client: undefined });
  await assertRejects(() => patient(`${base}/endless`), Error, "longer than");
  await server.shutdown();
});

Deno.test("oauthFetch() follows no redirect to another port, for metadata or for tokens", async () => {
  const asked: string[] = [];
  const other = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    asked.push(request.url);
    return Response.json({});
  });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, ({ url }) => {
    const { pathname } = new URL(url);
    return Response.redirect(`http://127.0.0.1:${other.addr.port}${pathname}`, 307);
  });
  const upstream = new URL(`http://127.0.0.1:${server.addr.port}/mcp`);
  const fetch = oauthFetch(upstream, { client: undefined });
  // Metadata that is elsewhere counts as none: what remains are the places of 2025-03-26.
  const found = await discover(upstream, fetch);
  assertEquals(found.server.token_endpoint, `${upstream.origin}/token`);
  const body = new URLSearchParams({ refresh_token: "secret" });
  const answer = await fetch(`${upstream.origin}/token`, { method: "POST", body });
  assertEquals([answer.status, asked], [307, []]);
  await server.shutdown();
  await other.shutdown();
});
