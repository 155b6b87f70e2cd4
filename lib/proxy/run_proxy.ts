/**
 * Runs `hoist-mcp` for one stdio session, from options to exit status. All permissions
 * are dropped before the first byte is relayed.
 *
 * @module
 */

import { workerNeeds } from "../proxy_options/permissions.ts";
import type { ProxyOptions } from "../proxy_options/proxy_flags.ts";
import type { Runtime } from "../ports/runtime.ts";
import { dropPermissions, permissionsLeft } from "../runtime/permissions.ts";
import { hostSession } from "../log/header.ts";
import type { InterceptorJob } from "./interceptors.ts";
import { PROXY_FAILED } from "./exit_code.ts";
import { prepareStdio } from "./stdio_mode.ts";
import { onStopSignal } from "../relay/stop_signals.ts";
import { messageOf } from "../text/reason.ts";

/**
 * Runs one session.
 *
 * @param options The flags.
 * @param runtime The machine.
 * @param interceptors What was read for them.
 * @returns The exit status: the server's, or {@linkcode PROXY_FAILED}.
 */
export async function runProxy(
  options: ProxyOptions,
  runtime: Runtime,
  interceptors?: InterceptorJob,
): Promise<number> {
  try {
    const session = await prepareStdio(options, runtime, {
      hostSession: hostSession(runtime.env("HOIST_SESSION"), runtime.parentPid),
      interceptors,
    });
    giveUpPermissions(options, runtime);
    onStopSignal((signal) => session.stop(signal));
    return await session.run();
  } catch (error) {
    runtime.say(messageOf(error));
    return PROXY_FAILED;
  }
}

function giveUpPermissions(options: ProxyOptions, runtime: Runtime): void {
  const debug = runtime.env("HOIST_DEBUG") === "permissions";
  dropPermissions();
  if (debug) permissionsLeft(workerNeeds(options)).forEach(runtime.say);
}
