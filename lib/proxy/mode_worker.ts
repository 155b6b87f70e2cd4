/**
 * The worker's side of a mode that keeps rights while it runs: prepares what needs them, says so,
 * and begins when the program has given up its own.
 *
 * @module
 */

import { givenUpOnStdio, workerNeeds } from "../proxy_options/permissions.ts";
import { denoRuntime } from "../runtime/deno_runtime.ts";
import type { Runtime } from "../ports/runtime.ts";
import { permissionsLeft } from "../runtime/permissions.ts";
import type { PreparedMode } from "./prepared_mode.ts";
import { PROXY_FAILED } from "./exit_code.ts";
import type { FromWorker, ToWorker, WorkerJob } from "./worker_job.ts";
import { messageOf } from "../text/reason.ts";

/**
 * Serves the program that started this worker, from the next turn of the event loop on.
 *
 * @param runtime The machine.
 */
export function serveWorker(runtime: Runtime = denoRuntime("hoist-mcp")): void {
  const scope = globalThis as unknown as Pick<Worker, "postMessage" | "onmessage">;
  const tell = (message: FromWorker) => scope.postMessage(message);
  const fail = (what: string) => {
    runtime.say(what);
    tell({ kind: "ended", code: PROXY_FAILED });
  };
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    fail(`internal error: ${event.reason}`);
  });
  let mode: PreparedMode | undefined;
  let job: WorkerJob | undefined;
  const begin = async () => {
    try {
      const code = mode?.run();
      if (job?.debugPermissions === true) {
        const needs = workerNeeds(job.options, job.interceptors?.oracle);
        permissionsLeft(needs).forEach((line) => runtime.say(`worker: ${line}`));
      }
      tell({ kind: "ended", code: await code ?? PROXY_FAILED });
    } catch (error) {
      fail(messageOf(error));
    }
  };
  scope.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    switch (data.kind) {
      case "prepare":
        job = data.job;
        prepare(data.job, runtime).then((prepared) => {
          mode = prepared;
          tell({ kind: "prepared" });
        }, (error) => fail(messageOf(error)));
        return;
      case "begin":
        begin();
        return;
      case "signal":
        mode?.stop(data.signal);
    }
  };
  tell({ kind: "loaded" });
}

async function prepare(job: WorkerJob, runtime: Runtime): Promise<PreparedMode> {
  if (job.options.listen !== undefined) {
    const { prepareListen } = await import("./run_listen.ts");
    return prepareListen(job, runtime);
  }
  if (job.options.upstream === undefined) {
    const { prepareStdio } = await import("./stdio_mode.ts");
    const session = await prepareStdio(job.options, runtime, job);
    for (const name of givenUpOnStdio(job.options, job.interceptors?.oracle)) {
      await Deno.permissions.revoke({ name });
    }
    return session;
  }
  const { prepareUpstream } = await import("./run_upstream.ts");
  return prepareUpstream(job, runtime);
}
