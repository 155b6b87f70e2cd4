import { assertEquals } from "@std/assert";
import type { Runtime } from "../ports/runtime.ts";
import { PLAIN_NETWORK, upstreamNetwork } from "./upstream_network.ts";

/** The network that variables make, and what is said. */
function network(variables: Readonly<Record<string, string>>) {
  const said: string[] = [];
  const runtime = {
    env: (name: string) => variables[name],
    say: (line: string) => void said.push(line),
  } as unknown as Runtime;
  return { ...upstreamNetwork({ url: "https://h.example/mcp" }, runtime), said };
}

Deno.test("upstreamNetwork() reads the certificates of both variables", async () => {
  const [one, two] = [await Deno.makeTempFile(), await Deno.makeTempFile()];
  await Deno.writeTextFile(one, "PEM 1");
  await Deno.writeTextFile(two, "PEM 2");
  const { caCerts, said } = network({ SSL_CERT_FILE: one, NODE_EXTRA_CA_CERTS: two });
  assertEquals([caCerts, said], [["PEM 1", "PEM 2"], []]);
  await Promise.all([one, two].map((path) => Deno.remove(path)));
});

Deno.test("upstreamNetwork() says which file of certificates it goes on without", () => {
  const { caCerts, said } = network({ SSL_CERT_FILE: "/no/such/file" });
  assertEquals([caCerts, said.length], [[], 1]);
  assertEquals(said[0]?.startsWith('SSL_CERT_FILE "/no/such/file": '), true);
});

Deno.test("upstreamNetwork() finds the proxy, and nothing without an upstream", () => {
  assertEquals(network({ HTTPS_PROXY: "p:1" }).proxy, { variable: "HTTPS_PROXY", address: "p:1" });
  const runtime = { env: () => "/x", say: () => {} } as unknown as Runtime;
  assertEquals(upstreamNetwork(undefined, runtime), PLAIN_NETWORK);
});
