/**
 * Starts the proxy of this installation: to listen in front of a command of `hoist`, or to record.
 *
 * @module
 */

import type { Runtime } from "../ports/runtime.ts";
import { proxyLine } from "../proxy_options/proxy_line.ts";
import { setupMachine } from "./setup_machine.ts";

/**
 * The command line of this installation's proxy.
 *
 * @param args Its arguments.
 * @param runtime The machine.
 * @returns Program and arguments.
 * @throws {Error} When the proxy would refuse them.
 */
export function proxyWords(args: readonly string[], runtime: Runtime): readonly string[] {
  const machine = setupMachine(runtime);
  const line = proxyLine(args, {
    machine,
    home: runtime.env("HOME") ?? runtime.env("USERPROFILE"),
    form: machine.self.kind,
    oracle: undefined,
    needsFullPath: true,
  });
  if ("why" in line) throw new Error(line.why);
  return line.words;
}

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
  const { self } = setupMachine(runtime);
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
  const [program = "", ...rest] = proxyWords(["--listen", address, "--", ...server], runtime);
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
