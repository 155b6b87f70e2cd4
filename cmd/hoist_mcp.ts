/**
 * `hoist-mcp`: a transparent, recording proxy between an MCP host and a server.
 *
 * @module
 */

import { needsWorker, shellLine, startFlags } from "../lib/proxy_options/permissions.ts";
import { intercepts } from "../lib/intercept/asked_for.ts";
import { parseProxyFlags } from "../lib/proxy_options/proxy_flags.ts";
import { denoRuntime, exit } from "../lib/runtime/deno_runtime.ts";
import type { Runtime } from "../lib/ports/runtime.ts";
import { greetTerminal } from "../lib/runtime/terminal.ts";
import type { InterceptorJob } from "../lib/proxy/interceptors.ts";
import { PROXY_FAILED, startStatus } from "../lib/proxy/exit_code.ts";
import { runProxy } from "../lib/proxy/run_proxy.ts";
import { messageOf } from "../lib/text/reason.ts";

/**
 * Runs the program.
 *
 * @param args The arguments after the program's name.
 * @param runtime The machine.
 * @returns The exit status.
 */
export async function main(
  args: readonly string[],
  runtime: Runtime = denoRuntime("hoist-mcp", { waits: false }),
): Promise<number> {
  const parsed = parseProxyFlags(args, runtime.env("HOME") ?? runtime.env("USERPROFILE"));
  if (parsed.kind === "text") {
    runtime.print(parsed.text);
    return 0;
  }
  if (parsed.kind === "refused") {
    parsed.message.split("\n").forEach(runtime.say);
    return 2;
  }
  let { options } = parsed;
  let interceptors: InterceptorJob | undefined;
  try {
    if (options.upstream !== undefined) {
      const { withSignIn } = await import("../lib/proxy/upstream_sign_in.ts");
      options = await withSignIn(options, runtime);
    }
    const { record, restart } = options;
    if (intercepts(options.interceptors) || (record ?? restart) !== undefined) {
      const { checkStart } = await import("../lib/proxy/start_paths.ts");
      interceptors = await checkStart(options, runtime);
    }
  } catch (error) {
    runtime.say(messageOf(error));
    return startStatus(error);
  }
  if (options.printPermissions) {
    runtime.print(shellLine(startFlags(options, import.meta.filename, interceptors?.oracle)));
    return 0;
  }
  // A fault nobody caught is ours: the server's group ends with us (see the reaper).
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    runtime.say(`internal error: ${event.reason}`);
    exit(PROXY_FAILED);
  });
  if (options.listen === undefined) greetTerminal(runtime);
  if (needsWorker(options, interceptors?.oracle)) {
    const { runInWorker } = await import("../lib/proxy/run_in_worker.ts");
    return await runInWorker(options, runtime, import.meta.url, interceptors);
  }
  return await runProxy(options, runtime, interceptors);
}

if ("WorkerGlobalScope" in globalThis) {
  // This module is also what the worker of a mode with rights is made of. Nothing is awaited here:
  // a worker gets its first message when its module has been run.
  import("../lib/proxy/mode_worker.ts").then(({ serveWorker }) => serveWorker());
} else if (import.meta.main) await exit(await main(Deno.args));
