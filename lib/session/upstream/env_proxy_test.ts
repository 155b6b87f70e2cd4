import { assertEquals } from "@std/assert";
import { envProxy } from "./env_proxy.ts";

/** A URL, variables, and the variable and address of the proxy. */
const ROWS: readonly (readonly [string, Record<string, string>, string | undefined])[] = [
  ["https://a.example/mcp", {}, undefined],
  ["https://a.example/mcp", { HTTPS_PROXY: "http://127.0.0.1:3128" }, "HTTPS_PROXY 127.0.0.1:3128"],
  ["http://a.example/mcp", { HTTPS_PROXY: "http://127.0.0.1:3128" }, undefined],
  ["http://a.example/mcp", { http_proxy: "proxy:8080" }, "http_proxy proxy:8080"],
  ["http://a.example/mcp", { ALL_PROXY: "socks5://p:1080" }, "ALL_PROXY p:1080"],
  ["https://a.example/mcp", { HTTPS_PROXY: "http://me:s3cret@p:1" }, "HTTPS_PROXY p:1"],
  ["https://a.example/mcp", { HTTPS_PROXY: "p:1", NO_PROXY: "b.example, a.example" }, undefined],
  ["https://a.example/mcp", { HTTPS_PROXY: "p:1", no_proxy: ".example" }, undefined],
  ["https://a.example/mcp", { HTTPS_PROXY: "p:1", NO_PROXY: "*" }, undefined],
  ["https://a.example/mcp", { HTTPS_PROXY: "p:1", NO_PROXY: "b.example" }, "HTTPS_PROXY p:1"],
  ["https://a.example/mcp", { HTTPS_PROXY: "p:1", NO_PROXY: "," }, "HTTPS_PROXY p:1"],
];

for (const [url, variables, expected] of ROWS) {
  Deno.test(`envProxy() for ${url} with ${JSON.stringify(variables)}`, () => {
    const proxy = envProxy(url, (name) => variables[name]);
    assertEquals(proxy && `${proxy.variable} ${proxy.address}`, expected);
  });
}
