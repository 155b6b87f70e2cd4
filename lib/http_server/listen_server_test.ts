import { assertEquals, assertThrows } from "@std/assert";
import { turns } from "../../tests/util/hand_timers.ts";
import { listen, type ListenBackend } from "./listen_server.ts";

type Handler = (request: Request) => Promise<Response>;

/** Listens on no socket: the handler that the server would get, and what it hands to a backend. */
function listening({ token = undefined as string | undefined, isServed = true } = {}) {
  const said: string[] = [];
  const served: string[] = [];
  const note = (what: string) => Promise.resolve((served.push(what), new Response(what)));
  const backend: ListenBackend = {
    post: (body, _request, header) => {
      if (header("x-throw") !== undefined) throw new Error("broken");
      return note(`POST ${new TextDecoder().decode(body)}`);
    },
    get: (_request, header) => note(`GET ${header("mcp-session-id")}`),
    delete: () => note("DELETE"),
    stop: () => Promise.resolve(),
  };
  let handler: Handler | undefined;
  const { urls, serve } = withServe(
    (_options, given) => {
      handler = given;
      return { addr: { hostname: "127.0.0.1", port: 8931 } };
    },
    () =>
      listen({ hostname: "127.0.0.1", port: 0 }, { token, say: (line) => void said.push(line) }),
  );
  if (isServed) serve(backend);
  const send = (init: RequestInit = {}, url = "http://127.0.0.1:8931/mcp") => {
    const headers = { host: "127.0.0.1:8931", "content-type": "application/json" };
    const request = new Request(url, { ...init, headers: { ...headers, ...init.headers } });
    if (handler === undefined) throw new Error("nothing listens");
    return handler(request);
  };
  return { said, served, send, urls, serve: () => serve(backend) };
}

/** Runs something while this stands in for the runtime's server. */
function withServe<T>(
  stand: (options: unknown, handler: Handler) => unknown,
  run: () => T,
): T {
  const { serve } = Deno;
  Object.assign(Deno, { serve: stand });
  try {
    return run();
  } finally {
    Object.assign(Deno, { serve });
  }
}

/** A request, and the status and the message of the response. */
const ROWS: readonly (readonly [why: string, init: RequestInit, url: string, got: string])[] = [
  ["a POST", { method: "POST", body: "{}" }, "/mcp", "200 POST {}"],
  ["a path with a slash", { method: "POST", body: "{}" }, "/mcp/", "200 POST {}"],
  ["a path with a query", { method: "DELETE" }, "/mcp?a=b", "200 DELETE"],
  ["a GET", { headers: { "mcp-session-id": "s" } }, "/mcp", "200 GET s"],
  ["a DELETE", { method: "DELETE" }, "/mcp", "200 DELETE"],
  ["another method", { method: "PUT", body: "{}" }, "/mcp", "405 Method not allowed"],
  ["another path", {}, "/", "404 Not Found: the endpoint is /mcp"],
  ["a longer path", {}, "/mcp/x", "404 Not Found: the endpoint is /mcp"],
  [
    "another type",
    { method: "POST", body: "{}", headers: { "content-type": "text/plain" } },
    "/mcp",
    "415 Unsupported Media Type: the body must be application/json",
  ],
  [
    "a body that is too long",
    { method: "POST", body: new Uint8Array(4_194_305) },
    "/mcp",
    "413 Content Too Large: a message may have 4194304 bytes",
  ],
  [
    "a body that is cut",
    { method: "POST", body: new ReadableStream({ start: (c) => c.error(new Error("cut")) }) },
    "/mcp",
    "400 Parse error: the body is cut",
  ],
  [
    "a backend that throws",
    { method: "POST", body: "{}", headers: { "x-throw": "1" } },
    "/mcp",
    "500 Internal error",
  ],
];

for (const [why, init, path, got] of ROWS) {
  Deno.test(`listen() answers ${why} with ${got.slice(0, 3)}`, async () => {
    const { send } = listening();
    const response = await send(init, `http://127.0.0.1:8931${path}`);
    const text = await response.text();
    const message = response.status === 200 ? text : JSON.parse(text).error.message;
    assertEquals(`${response.status} ${message}`, got);
  });
}

Deno.test("listen() lets a request with the token in, under any name", async () => {
  const { send, served, said } = listening({ token: "s3cret" });
  const refused = await send({ method: "DELETE" });
  assertEquals([refused.status, refused.headers.get("www-authenticate")], [401, "Bearer"]);
  await refused.body?.cancel();
  const headers = { host: "example.com", authorization: "Bearer s3cret" };
  assertEquals((await send({ method: "DELETE", headers })).status, 200);
  assertEquals([served, said], [["DELETE"], []], "a wrong token is not said");
});

Deno.test("listen() refuses another Host, and says each refusal once, 20 at most", async () => {
  const { send, served, said } = listening();
  for (const n of [1, 1, ...Array(30).keys()]) {
    const response = await send({ method: "DELETE", headers: { host: `h${n}` } });
    assertEquals(response.status, 403);
    await response.body?.cancel();
  }
  assertEquals([served, said.length], [[], 20]);
  assertEquals(
    said[0],
    'refused a request: Forbidden: the Host header names "h1", not 127.0.0.1:8931; ' +
      "with --listen-token-file FILE hosts may use any name, and send the token",
  );
});

Deno.test("listen() says what broke in a backend", async () => {
  const { send, said } = listening();
  const response = await send({ method: "POST", body: "{}", headers: { "x-throw": "1" } });
  await response.body?.cancel();
  assertEquals(said, ["internal error: Error: broken"]);
});

Deno.test("listen() makes requests wait until there is a backend", async () => {
  const { send, serve, served, urls } = listening({ isServed: false });
  assertEquals(urls, ["http://127.0.0.1:8931/mcp"], "the port that was bound");
  const response = send({ method: "DELETE" });
  await turns();
  assertEquals(served, []);
  serve();
  assertEquals((await response).status, 200);
});

Deno.test("listen() names the address that it cannot bind", () => {
  const taken = () => {
    throw new Deno.errors.AddrInUse("Address already in use");
  };
  const options = { token: undefined, say: () => {} };
  assertThrows(
    () => withServe(taken, () => listen({ hostname: "127.0.0.1", port: 80 }, options)),
    Error,
    "cannot listen on 127.0.0.1:80: ",
  );
});
