import { assertEquals } from "@std/assert";
import { parseProxyFlags } from "../proxy_options/proxy_flags.ts";
import type { Runtime } from "../ports/runtime.ts";
import { upstreamHeaders } from "./upstream_headers.ts";

const ENV: Readonly<Record<string, string>> = { TOKEN: " Bearer x ", ODD: "a\nb" };
const runtime = { env: (name: string) => ENV[name] } as unknown as Runtime;

/** The upstream of a command line; what is wrong with it. */
function upstream(...flags: readonly string[]) {
  const parsed = parseProxyFlags(flags, "/");
  return parsed.kind === "options" ? parsed.options.upstream : parsed;
}

Deno.test("upstreamHeaders() reads values from variables, and names the one that is missing", () => {
  const headers = (...pairs: { name: string; variable: string }[]) =>
    upstreamHeaders({ url: "http://h/mcp", headers: pairs }, runtime);
  assertEquals(headers({ name: "authorization", variable: "TOKEN" }), [[
    "authorization",
    "Bearer x",
  ]]);
  assertEquals(
    headers({ name: "x", variable: "GONE" }),
    "--upstream-header x: the variable GONE is not set",
  );
  assertEquals(
    headers({ name: "x", variable: "ODD" }),
    "--upstream-header x: the value of ODD is no header value",
  );
  assertEquals(upstreamHeaders(undefined, runtime), []);
});

Deno.test("user and password of --upstream become a header, and leave the URL", () => {
  const options = upstream("--upstream", "https://me:p%40ss%20w%C3%B6rd@h.example/mcp?a=b");
  if (options === undefined || "kind" in options) throw new Error("not a command line");
  assertEquals(options.url, "https://h.example/mcp?a=b");
  const encoded = btoa(String.fromCharCode(...new TextEncoder().encode("me:p@ss wörd")));
  assertEquals(upstreamHeaders(options, runtime), [["authorization", `Basic ${encoded}`]]);
});

Deno.test("--upstream with user and password excludes an Authorization header", () => {
  const url = "http://u:p@h/mcp";
  const wrong = upstream("--upstream", url, "--upstream-header", "Authorization=TOKEN");
  assertEquals(JSON.stringify(wrong).includes("exclude each other"), true);
});
