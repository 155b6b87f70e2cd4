import { assertEquals } from "@std/assert";
import { permissionNeeds } from "../proxy_options/permissions.ts";
import { parseProxyFlags } from "../proxy_options/proxy_flags.ts";
import type { Runtime } from "../ports/runtime.ts";
import { withSignIn } from "./upstream_sign_in.ts";

Deno.test("withSignIn() lets the start read the certificates of the environment", async () => {
  const parsed = parseProxyFlags(["--upstream", "https://h.example/mcp"], undefined);
  if (parsed.kind !== "options") throw new Error("refused");
  const env = (name: string) => name === "NODE_EXTRA_CA_CERTS" ? "/etc/ca.pem" : undefined;
  const options = await withSignIn(parsed.options, { env } as Runtime);
  assertEquals(permissionNeeds(options, undefined).read, ["/etc/ca.pem"]);
});
