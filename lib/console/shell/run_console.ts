/**
 * Runs the console for the program: starts its worker with the permissions it needs, opens a
 * browser, gives every permission up, and waits for the end.
 *
 * @module
 */

import type { Runtime } from "../../ports/runtime.ts";
import { onStopSignal } from "../../relay/stop_signals.ts";
import { dropPermissions, permissionsLeft } from "../../runtime/permissions.ts";
import { messageOf } from "../../text/reason.ts";
import { type ConsoleOptions, consoleServerNeeds } from "../record/console_options.ts";
import type { FromConsole, ToConsole } from "./console_job.ts";

/** The program that opens a file in the user's browser. */
export function browserOpener(): string {
  return Deno.build.os === "darwin"
    ? "open"
    : Deno.build.os === "windows"
    ? "explorer"
    : "xdg-open";
}

/**
 * Whether there is a screen to open a browser on.
 *
 * @param runtime The machine.
 * @returns Whether a person sits at a terminal with a screen.
 */
export function hasScreen(runtime: Runtime): boolean {
  if (!runtime.stdoutIsTerminal) return false;
  return Deno.build.os !== "linux" || runtime.env("DISPLAY") !== undefined ||
    runtime.env("WAYLAND_DISPLAY") !== undefined;
}

/**
 * Runs the console until it is told to stop.
 *
 * @param options Its options; the paths are real ones.
 * @param runtime The machine.
 * @param self URL of the program's module, which the worker runs.
 * @param onProgress Takes what the index is doing.
 * @returns The exit status.
 */
export function runConsoleWorker(
  options: ConsoleOptions,
  runtime: Runtime,
  self: string,
  onProgress: (text: string) => void,
): Promise<number> {
  const isDebugged = runtime.env("HOIST_DEBUG") === "permissions";
  const { read, write, net } = consoleServerNeeds(options);
  const permissions: Deno.PermissionOptionsObject = {
    read: [...read],
    write: [...write],
    net: net.length === 0 ? false : [...net], // An empty list would grant every address.
    run: false,
    env: false,
    sys: false,
    ffi: false,
    import: false,
  };
  const worker = new Worker(self, { type: "module", deno: { permissions } });
  const tell = (message: ToConsole) => worker.postMessage(message);
  const { promise, resolve } = Promise.withResolvers<number>();
  worker.onmessage = ({ data }: MessageEvent<FromConsole>) => {
    switch (data.kind) {
      case "loaded":
        return tell({ kind: "start", options });
      case "listening":
        if (data.file !== undefined) openBrowser(data.file, runtime);
        // The worker has its permissions; this thread needs none.
        dropPermissions();
        if (isDebugged) permissionsLeft().forEach(runtime.say);
        onProgress("");
        return runtime.print(data.url);
      case "exported":
        onProgress("");
        return runtime.print(`${options.exportTo}/index.html: ${data.sessions} sessions`);
      case "say":
        return runtime.say(data.line);
      case "progress":
        return onProgress(data.text);
      case "ended":
        worker.terminate();
        return resolve(data.code);
    }
  };
  worker.onerror = (event) => {
    event.preventDefault();
    runtime.say(`internal error: ${event.message}`);
    resolve(1);
  };
  onStopSignal(() => tell({ kind: "stop" }));
  return promise;
}

function openBrowser(file: string, runtime: Runtime): void {
  try {
    const browser = new Deno.Command(browserOpener(), {
      args: [file],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    browser.unref();
  } catch (error) {
    runtime.say(`no browser was opened (${messageOf(error)}); open the link above`);
  }
}
