import { assertEquals } from "@std/assert";
import { ruleOnRedirect } from "./redirect.ts";

const URL_ = "http://127.0.0.1:8000/mcp";
const NEXT = "; not followed: give that URL to --upstream";
const OTHER = "; not followed: if that is the server, give its URL to --upstream";

/** Method, status, location, and the URL that is followed or the reason why none is. */
const ROWS: readonly (readonly [string, number, string | null, string | undefined])[] = [
  ["POST", 200, null, undefined],
  ["POST", 304, "/mcp/", undefined],
  ["POST", 307, null, undefined],
  ["POST", 307, "/mcp/", "http://127.0.0.1:8000/mcp/"],
  ["POST", 308, "http://127.0.0.1:8000/v2", "http://127.0.0.1:8000/v2"],
  ["DELETE", 307, "mcp/?a=b", "http://127.0.0.1:8000/mcp/?a=b"],
  ["GET", 302, "/mcp/", "http://127.0.0.1:8000/mcp/"],
  [
    "POST",
    301,
    "/mcp/",
    `the upstream redirects (HTTP 301) to "http://127.0.0.1:8000/mcp/", which does not keep a POST${NEXT}`,
  ],
  [
    "POST",
    307,
    "https://127.0.0.1:8000/mcp",
    `the upstream redirects (HTTP 307) to another origin, "https://127.0.0.1:8000/mcp"${OTHER}`,
  ],
  [
    "GET",
    302,
    "http://127.0.0.1:8001/mcp?token=s3cret",
    `the upstream redirects (HTTP 302) to another origin, "http://127.0.0.1:8001/mcp?token=<redacted>"${OTHER}`,
  ],
  ["POST", 307, "http://:x", "the upstream redirects (HTTP 307) to what is no URL"],
];

for (const [method, status, location, expected] of ROWS) {
  Deno.test(`ruleOnRedirect() of ${method} with ${status} to ${location}`, () => {
    const ruling = ruleOnRedirect({ method, url: URL_, status, location, hops: 0 });
    const shown = ruling.kind === "follow"
      ? ruling.url
      : ruling.kind === "refuse"
      ? ruling.why
      : undefined;
    assertEquals(shown, expected);
  });
}

Deno.test("ruleOnRedirect() ends a circle", () => {
  const response = { method: "POST", url: URL_, status: 307, location: "/mcp" };
  assertEquals(ruleOnRedirect({ ...response, hops: 4 }).kind, "follow");
  assertEquals(ruleOnRedirect({ ...response, hops: 5 }), {
    kind: "refuse",
    why: "the upstream redirects more than 5 times",
  });
});
