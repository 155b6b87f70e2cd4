/**
 * `hai-mcp`: serves the tools, on stdio or HTTP, until the client leaves or the
 * program is told to end.
 *
 * @module
 */

import type { FlagValues } from "../../flags/flags.ts";
import { VERSION } from "../../flags/version.ts";
import type { HaiConfig } from "../../hai/state/config.ts";
import type { HaiBackend } from "../../hai/serve/hai_backend.ts";
import type { ShellOptions } from "../../hai/shell/hai_shell.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { greetTerminal } from "../../runtime/terminal.ts";

/**
 * Serves.
 *
 * @param values The command line.
 * @param runtime The machine.
 * @param plane Settings and parts of the control plane.
 * @returns The exit status, or what is wrong with the settings.
 */
export async function runServe(
  values: FlagValues,
  runtime: Runtime,
  plane: { readonly config: HaiConfig; readonly options: ShellOptions },
): Promise<number | string> {
  const setting = (flag: string, variable: string, or: string) =>
    values.get(flag) ?? (runtime.env(variable)?.trim() || or);
  const transport = setting("transport", "HAI_TRANSPORT", "stdio");
  const { channel } = plane.config;
  const needsNet = transport !== "stdio" || channel === "ntfy";
  runtime.keepOnly?.([
    ...["read", "write", "env"],
    ...needsNet ? ["net"] : [],
    ...channel === "touchid" ? ["run"] : [],
  ]);
  // The name alone: the message of such an error quotes the input, codes included.
  const onFault = (error: Error) => runtime.say(`A message could not be handled: ${error.name}`);
  const { haiServerFactory } = await import("../../hai/serve/hai_mcp_server.ts");
  let backend: Promise<HaiBackend> | undefined;
  // On stdio there is one client: sessions granted here need no token here.
  const caller = transport === "stdio" ? { caller: crypto.randomUUID() } : {};
  const load = () =>
    backend ??= import("../../hai/serve/hai_backend.ts")
      .then(({ haiBackend }) => haiBackend(plane.config, { ...plane.options, ...caller }));
  const factory = haiServerFactory(load, VERSION);
  if (transport === "stdio") {
    greetTerminal(runtime);
    const { serveHaiOnStdio } = await import("../../hai/serve/hai_stdio_server.ts");
    await serveHaiOnStdio(factory, onFault);
    return 0;
  }
  if (transport !== "streamable-http") {
    return `The transport is set to "${transport}", expected stdio or streamable-http`;
  }
  const { checkBind, serveHaiOnHttp } = await import("../../hai/serve/hai_http_server.ts");
  const port = setting("port", "HAI_HTTP_PORT", "8765");
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65535) {
    return `The port is set to "${port}", expected 0 to 65535`;
  }
  const bind = {
    host: setting("host", "HAI_HTTP_HOST", "127.0.0.1"),
    token: runtime.env("HAI_HTTP_TOKEN")?.trim() || undefined,
  };
  const refused = checkBind(bind.host, bind.token);
  if (refused !== undefined) return refused;
  const onListen = (url: string) => runtime.say(`serving ${url}`);
  await serveHaiOnHttp(factory, { ...bind, port: Number(port), onListen, onFault });
  return 0;
}
