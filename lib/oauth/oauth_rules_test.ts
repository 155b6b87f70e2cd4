import { assertEquals } from "@std/assert";
import { bearerChallenge } from "./challenge.ts";
import {
  coversUpstream,
  resourceMetadataUrls,
  serverMetadataUrls,
  urlFault,
} from "./metadata_urls.ts";
import { isDue, joinScopes, loginLine, parseSignIn, signInFolderName } from "./sign_in.ts";

const NOTHING = { error: undefined, scope: undefined, resourceMetadata: undefined };

const CHALLENGES: readonly (readonly [string | null, ReturnType<typeof bearerChallenge>])[] = [
  [null, undefined],
  ["Basic realm=x", undefined],
  ["Bearer", NOTHING],
  ['bearer realm="a, b", scope="read write"', { ...NOTHING, scope: "read write" }],
  ['Basic realm="x", Bearer error=insufficient_scope, scope="a"', {
    ...NOTHING,
    error: "insufficient_scope",
    scope: "a",
  }],
  ['Bearer resource_metadata="https://h/\\"x"', { ...NOTHING, resourceMetadata: 'https://h/"x' }],
];

for (const [header, expected] of CHALLENGES) {
  Deno.test(`bearerChallenge() reads ${header}`, () => {
    assertEquals(bearerChallenge(header), expected);
  });
}

Deno.test("metadata lies where the specifications say", () => {
  const of = (urls: readonly URL[]) => urls.map(({ href }) => href);
  assertEquals(of(resourceMetadataUrls(new URL("https://h/a/mcp?x=1"))), [
    "https://h/.well-known/oauth-protected-resource/a/mcp?x=1",
    "https://h/.well-known/oauth-protected-resource",
  ]);
  assertEquals(of(serverMetadataUrls(new URL("https://h/t"))), [
    "https://h/.well-known/oauth-authorization-server/t",
    "https://h/.well-known/openid-configuration/t",
    "https://h/t/.well-known/openid-configuration",
  ]);
  assertEquals(serverMetadataUrls(new URL("https://h")).length, 2);
});

const URLS: readonly (readonly [string, string, boolean])[] = [
  ["https://as.example.com/x", "https://mcp.example.com/mcp", true],
  ["http://as.example.com/x", "https://mcp.example.com/mcp", false],
  ["https://u:p@as.example.com/", "https://mcp.example.com/mcp", false],
  ["https://169.254.169.254/latest", "https://mcp.example.com/mcp", false],
  ["https://10.0.0.1/x", "https://mcp.example.com/mcp", false],
  ["https://[::1]/x", "https://mcp.example.com/mcp", false],
  ["https://router.local/x", "https://mcp.example.com/mcp", false],
  ["https://localhost:9/x", "https://mcp.example.com/mcp", false],
  ["http://127.0.0.1:9/x", "https://mcp.example.com/mcp", false],
  ["http://127.0.0.1:9/x", "http://localhost:8/mcp", true],
  ["https://10.0.0.1/x", "https://10.0.0.2/mcp", true],
  ["file:///etc/passwd", "https://mcp.example.com/mcp", false],
  ["no url", "https://mcp.example.com/mcp", false],
];

for (const [url, upstream, isAsked] of URLS) {
  Deno.test(`urlFault() ${isAsked ? "lets" : "refuses"} ${url} of ${upstream}`, () => {
    assertEquals(urlFault(url, new URL(upstream)) === undefined, isAsked);
  });
}

Deno.test("coversUpstream() takes the upstream and what lies above it", () => {
  const upstream = new URL("https://h/a/mcp");
  const covers = (resource: string) => coversUpstream(resource, upstream);
  assertEquals(["https://h/a/mcp", "https://h/a", "https://h/", "https://h"].map(covers), [
    true,
    true,
    true,
    true,
  ]);
  assertEquals(["https://h/a/m", "https://other/a/mcp", "http://h/a/mcp", "x"].map(covers), [
    false,
    false,
    false,
    false,
  ]);
});

Deno.test("parseSignIn() takes a sign-in of this upstream only", () => {
  const kept = {
    version: 1,
    url: "https://h/mcp",
    resource: "https://h/mcp",
    issuer: "https://as",
    tokenEndpoint: "https://as/token",
    clientId: "c",
    accessToken: "t",
  };
  assertEquals(parseSignIn(JSON.stringify(kept), kept.url)?.accessToken, "t");
  assertEquals(parseSignIn(JSON.stringify(kept), "https://h/other"), undefined);
  assertEquals(parseSignIn(JSON.stringify({ ...kept, accessToken: 1 }), kept.url), undefined);
  assertEquals(parseSignIn("{", kept.url), undefined);
});

Deno.test("isDue() renews before the end, and short-lived tokens later", () => {
  const due = (leftMs: number, lifeMs?: number) => isDue({ expiresUnixMs: leftMs }, 0, lifeMs);
  assertEquals([due(31_000), due(30_000), due(7_000, 60_000), due(6_000, 60_000)], [
    false,
    true,
    false,
    true,
  ]);
  assertEquals(isDue({ expiresUnixMs: undefined }, 0, undefined), false);
});

Deno.test("the names of folders and the lines to type hold no surprise", () => {
  assertEquals(signInFolderName("https://h:8/a/../b?x=/"), "h%3a8%2fb%3fx%3d%2f");
  assertEquals(signInFolderName("http://h/") === signInFolderName("https://h/"), false);
  assertEquals(
    loginLine("https://h/mcp", "a b'; rm"),
    "hoist auth login https://h/mcp --scope 'a b; rm'",
  );
  assertEquals(joinScopes("a b", undefined, "b c"), "a b c");
});
