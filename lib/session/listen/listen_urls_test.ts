import { assertEquals } from "@std/assert";
import { listenUrls, type MachineAddress } from "./listen_urls.ts";

const MACHINE: readonly MachineAddress[] = [
  { address: "127.0.0.1", family: "IPv4" },
  { address: "::1", family: "IPv6" },
  { address: "fe80::1", family: "IPv6" },
  { address: "169.254.1.1", family: "IPv4" },
  { address: "192.0.2.7", family: "IPv4" },
  { address: "2001:db8::7", family: "IPv6" },
];

Deno.test("listenUrls() names the addresses that another machine can use", () => {
  const urls = (hostname: string, machine = MACHINE) =>
    listenUrls({ hostname, port: 8931 }, "/mcp", machine);
  assertEquals(urls("127.0.0.1"), ["http://127.0.0.1:8931/mcp"]);
  assertEquals(urls("::1"), ["http://[::1]:8931/mcp"]);
  assertEquals(urls("0.0.0.0"), ["http://192.0.2.7:8931/mcp"]);
  assertEquals(urls("::"), ["http://192.0.2.7:8931/mcp", "http://[2001:db8::7]:8931/mcp"]);
  assertEquals(urls("0.0.0.0", []), ["http://0.0.0.0:8931/mcp"], "none is known");
});
