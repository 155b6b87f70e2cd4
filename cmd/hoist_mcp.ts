/**
 * `hoist-mcp`: a transparent, recording proxy between an MCP host and a server.
 *
 * @module
 */

import { permissionFlags, permissionNeeds, shellLine } from "../lib/cli/permissions.ts";
import { parseProxyFlags } from "../lib/cli/proxy_flags.ts";
import { denoHost, exit } from "../lib/host/deno_host.ts";
import type { Host } from "../lib/host/host.ts";
import { PROXY_FAILED, runProxy } from "../lib/transport/run_proxy.ts";

/**
 * Runs the program.
 *
 * @param args The arguments after the program's name.
 * @param host The machine.
 * @returns The exit status.
 */
export async function main(
  args: readonly string[],
  host: Host = denoHost("hoist-mcp", { waits: false }),
): Promise<number> {
  const parsed = parseProxyFlags(args, host.env("HOME") ?? host.env("USERPROFILE"));
  if (parsed.kind === "text") {
    host.print(parsed.text);
    return 0;
  }
  if (parsed.kind === "refused") {
    parsed.message.split("\n").forEach(host.say);
    return 2;
  }
  if (parsed.options.printPermissions) {
    host.print(shellLine(permissionFlags(permissionNeeds(parsed.options))));
    return 0;
  }
  // A fault nobody caught is ours: the server's group ends with us (see the reaper).
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    host.say(`internal error: ${event.reason}`);
    exit(PROXY_FAILED);
  });
  return await runProxy(parsed.options, host);
}

if (import.meta.main) await exit(await main(Deno.args));
