/**
 * Puts `hoist-mcp --listen` in front of a command of `hoist` that serves on stdio.
 *
 * @module
 */

import type { Runtime } from "../ports/runtime.ts";
import { proxyLine } from "../proxy_options/proxy_line.ts";
import { setupMachine } from "./setup_machine.ts";

const SIGNALS: readonly Deno.Signal[] = ["SIGINT", "SIGTERM"];

/**
 * Runs the proxy until it ends.
 *
 * @param address Where it listens.
 * @param args Arguments of `hoist` that start the server.
 * @param runtime The machine.
 * @returns The proxy's exit status.
 * @throws {Error} When the proxy would refuse the address.
 */
export async function listenInFront(
  address: string,
  args: readonly string[],
  runtime: Runtime,
): Promise<number> {
  const machine = setupMachine(runtime);
  const { self } = machine;
  const server = self.kind === "compiled"
    ? [Deno.execPath(), ...args]
    : self.kind === "npm"
    ? ["npx", "-y", self.spec, "hoist", ...args]
    : [
      self.deno,
      "run",
      "--allow-read",
      "--allow-env",
      self.entry.replace(/hoist_mcp\.ts$/, "hoist.ts").replace(/hoist-mcp$/, "hoist"),
      ...args,
    ];
  const line = proxyLine(["--listen", address, "--", ...server], {
    machine,
    home: runtime.env("HOME") ?? runtime.env("USERPROFILE"),
    form: self.kind,
    oracle: undefined,
    needsFullPath: true,
  });
  if ("why" in line) throw new Error(line.why);
  const [program = "", ...rest] = line.words;
  const child = new Deno.Command(program, { args: rest, stdin: "null" }).spawn();
  const stop = (signal: Deno.Signal) => () => child.kill(signal);
  const stops = SIGNALS.map((signal) => [signal, stop(signal)] as const);
  for (const [signal, end] of stops) Deno.addSignalListener(signal, end);
  try {
    return (await child.status).code;
  } finally {
    for (const [signal, end] of stops) Deno.removeSignalListener(signal, end);
  }
}
