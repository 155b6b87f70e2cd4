import { assertEquals } from "@std/assert";
import { hasNoBody, requestHeaders, responseHeaders } from "./forwarded_headers.ts";

Deno.test("requestHeaders() drops headers of the connection, the proxy's names and credentials", () => {
  const kept = requestHeaders([
    ["accept", "application/json"],
    ["mcp-session-id", "s1"],
    ["host", "127.0.0.1"],
    ["origin", "http://127.0.0.1"],
    ["authorization", "Bearer x"],
    ["cookie", "a=b"],
    ["hoist-session", "h"],
    ["content-length", "3"],
    ["x-hop", "1"],
    ["connection", "close, X-Hop"],
  ], [["authorization", "Bearer own"]]);
  assertEquals(kept, [
    ["accept", "application/json"],
    ["mcp-session-id", "s1"],
    ["authorization", "Bearer own"],
  ]);
});

Deno.test("responseHeaders() drops the length and encoding of a decompressed body only", () => {
  const length: [string, string] = ["content-length", "3"];
  const type: [string, string] = ["content-type", "application/json"];
  assertEquals(responseHeaders([type, length, ["transfer-encoding", "chunked"]]), [type, length]);
  assertEquals(responseHeaders([type, length, ["content-encoding", "gzip"]]), [type]);
  const odd: [string, string] = ["content-encoding", "zstd"];
  assertEquals(responseHeaders([type, length, odd]), [type, length, odd]);
});

Deno.test("hasNoBody() goes by the status, and by a length of 0", () => {
  assertEquals(
    [hasNoBody(204, []), hasNoBody(200, []), hasNoBody(200, [["content-length", "0"]])],
    [
      true,
      false,
      true,
    ],
  );
});
