/**
 * `hoist-mcp-demo`: a tiny MCP server on stdio or HTTP, to try the proxy on.
 *
 * @module
 */

import { VERSION } from "../lib/flags/version.ts";
import { parseDemoFlags } from "../lib/commands/demo/demo_flags.ts";
import { denoRuntime } from "../lib/runtime/deno_runtime.ts";
import type { Runtime } from "../lib/ports/runtime.ts";
import { greetTerminal } from "../lib/runtime/terminal.ts";
import { reasonOf } from "../lib/text/reason.ts";

/**
 * Runs `hoist-mcp-demo` until stdin ends, or until it is asked to end.
 *
 * @param args The arguments.
 * @param runtime The machine.
 * @returns The exit status.
 */
export async function main(
  args: readonly string[],
  runtime: Runtime = denoRuntime("hoist-mcp-demo"),
): Promise<number> {
  const parsed = parseDemoFlags(args);
  if (parsed.kind === "text") {
    runtime.print(parsed.text);
    return 0;
  }
  if (parsed.kind === "refused") {
    for (const line of parsed.message.split("\n")) runtime.say(line);
    return 2;
  }
  // Only now: the SDK takes longer to load than a wrong flag takes to refuse.
  const { demoServer } = await import("../lib/demo/demo_server.ts");
  const make = () => demoServer(parsed.tools, { version: VERSION, wait });
  if (parsed.http !== undefined) {
    const { serveHttp } = await import("../lib/sdk/serve_http.ts");
    runtime.keepOnly?.(["net"]);
    try {
      await serveHttp(make, parsed.http, runtime.print);
    } catch (error) {
      const { hostname, port } = parsed.http;
      const why = reasonOf(error);
      runtime.say(`cannot listen on ${hostname}:${port}: ${why}`);
      return 1;
    }
    return 0;
  }
  const { serveStdio } = await import("../lib/sdk/serve_stdio.ts");
  runtime.keepOnly?.([]);
  greetTerminal(runtime);
  await serveStdio(make());
  return 0;
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}

// No Deno.exit at status 0: calls that still wait are answered first, as a real server would.
if (import.meta.main) Deno.exitCode = await main(Deno.args);
