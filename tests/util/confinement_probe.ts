/**
 * `hoist-mcp` with a stowaway: runs the real program, and beside the session core,
 * in its worker where it has one, and with the same rights, tries what no session
 * needs. What came of it goes to stderr, a line each: `probe worker: read denied`.
 *
 * Usage: that of `hoist-mcp`.
 *
 * @module
 */

import { needsWorker } from "../../lib/proxy_options/permissions.ts";
import { parseProxyFlags } from "../../lib/proxy_options/proxy_flags.ts";
import { denoRuntime } from "../../lib/runtime/deno_runtime.ts";
import { intercepts } from "../../lib/intercept/asked_for.ts";
import { readJobs } from "../../lib/proxy/interceptors.ts";
import { runInWorker } from "../../lib/proxy/run_in_worker.ts";
import { runProxy } from "../../lib/proxy/run_proxy.ts";

const TRIES: Readonly<Record<string, () => unknown>> = {
  read: () => Deno.readTextFileSync("/etc/hostname"),
  readOwn: () => Deno.readTextFileSync(new URL(import.meta.url).pathname),
  write: () => Deno.writeTextFileSync("/dev/null", ""),
  spawn: () => new Deno.Command("ls", { stdout: "null" }).spawn(),
  env: () => Deno.env.get("PATH"),
  sys: () => Deno.hostname(),
  connect: () => Deno.connect({ hostname: "127.0.0.1", port: 40_404 }),
  fetch: () => fetch("http://127.0.0.1:40404/"),
  listen: () => Deno.listen({ hostname: "127.0.0.1", port: 0 }),
};

async function probe(who: string): Promise<void> {
  for (const [name, attempt] of Object.entries(TRIES)) {
    let outcome = "ALLOWED";
    try {
      await attempt();
    } catch (error) {
      outcome = error instanceof Deno.errors.NotCapable ? "denied" : `reached: ${error}`;
    }
    console.error(`probe ${who}: ${name} ${outcome}`);
  }
  console.error(`probe ${who}: done`);
}

/** Tries when the program has given its rights up, or should have long ago. */
async function probeOnceDropped(): Promise<void> {
  const limit = performance.now() + 20_000;
  while (Deno.permissions.querySync({ name: "env" }).state === "granted") {
    if (performance.now() > limit) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await probe("main");
}

if ("WorkerGlobalScope" in globalThis) {
  import("../../lib/proxy/mode_worker.ts").then(({ serveWorker }) => {
    serveWorker();
    globalThis.addEventListener("message", (event) => {
      if ((event as MessageEvent).data.kind === "begin") setTimeout(() => probe("worker"));
    });
  });
} else {
  const parsed = parseProxyFlags(Deno.args, undefined);
  if (parsed.kind !== "options") throw new Error("wrong usage");
  const { options } = parsed;
  const runtime = denoRuntime("hoist-mcp");
  const jobs = intercepts(options.interceptors) ? await readJobs(options, runtime) : undefined;
  probeOnceDropped();
  Deno.exit(
    needsWorker(options, jobs?.oracle)
      ? await runInWorker(options, runtime, import.meta.url, jobs)
      : await runProxy(options, runtime, jobs),
  );
}
