import { assert, assertEquals } from "@std/assert";
import { redactUrl } from "../log/redact_url.ts";
import { carries, isSessionLost, reopenDelayMs, resumableId } from "./upstream_rules.ts";

Deno.test("carries() goes by the type, and by 202 (C4)", () => {
  assertEquals(carries(200, "application/json; charset=utf-8"), "json");
  assertEquals(carries(400, "application/json"), "json");
  assertEquals(carries(200, "text/event-stream"), "events");
  assertEquals(carries(500, "text/event-stream"), "nothing");
  assertEquals(carries(200, "text/html"), "nothing");
  assertEquals(carries(200, null), "nothing");
  assertEquals(carries(202, "application/json"), "nothing");
});

Deno.test("isSessionLost() takes 404, and a 400 that says so (C8)", () => {
  const body = (code: number, message: string) =>
    new TextEncoder().encode(JSON.stringify({ id: null, error: { code, message } }));
  assert(isSessionLost(404, undefined));
  assert(isSessionLost(400, body(-32000, "Bad Request: No valid session ID provided")));
  assert(!isSessionLost(400, body(-32602, "Invalid session argument")));
  assert(!isSessionLost(400, body(-32000, "Server not initialized")));
  assert(!isSessionLost(400, undefined));
  assert(isSessionLost(404, body(-32001, "Session not found")));
  assert(isSessionLost(404, new TextEncoder().encode("<html>")));
  assert(!isSessionLost(404, body(-32601, "Method not found")), "about the request");
  assert(!isSessionLost(401, body(-32000, "Session not found")));
});

Deno.test("resumableId() takes what a header carries as it is", () => {
  assertEquals(["a", "a b", "7-1", "", " a", "a\t", "é", "🚀"].map(resumableId), [
    "a",
    "a b",
    "7-1",
    ...Array(5).fill(undefined),
  ]);
});

Deno.test("reopenDelayMs() honours the server at first, grows with fruitless streams, and is bounded (C12)", () => {
  assertEquals([0, 1, 2, 3].map((n) => reopenDelayMs(n, undefined)), [500, 1000, 2000, 4000]);
  assertEquals([0, 1].map((n) => reopenDelayMs(n, 200)), [200, 1000]);
  assertEquals(reopenDelayMs(0, 500), 500);
  assertEquals(reopenDelayMs(100, undefined), 30_000);
});

for (
  const [url, logged] of [
    ["https://example.com/mcp", "https://example.com/mcp"],
    ["https://u:p@example.com:8443/mcp", "https://example.com:8443/mcp"],
    ["http://h/mcp?a=b&api_key=x1&c", "http://h/mcp?a=b&api_key=<redacted>&c"],
    ["http://h/mcp?ACCESS%5FTOKEN=x1", "http://h/mcp?ACCESS%5FTOKEN=<redacted>"],
    ["http://h/mcp?%zz=1&sig=x1#f", "http://h/mcp?%zz=1&sig=<redacted>"],
  ] as const
) {
  Deno.test(`redactUrl() turns ${url} into what may be logged`, () => {
    assertEquals(redactUrl(url), logged);
  });
}
