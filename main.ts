/**
 * Every program of the package behind one module:
 * `deno run main.ts PROGRAM [ARGUMENTS]`.
 *
 * @module
 */

import { nearest } from "./lib/text/nearest.ts";
import { exit } from "./lib/runtime/deno_runtime.ts";

/** Program to the module whose `main` runs it; loaded only when asked for. */
const PROGRAMS: Readonly<Record<string, () => Promise<Program>>> = {
  "hai-mcp": () => import("./cmd/hai_mcp.ts"),
  "hoist": () => import("./cmd/hoist.ts"),
  "hoist-mcp": () => import("./cmd/hoist_mcp.ts"),
  "hoist-procedure": () => import("./cmd/hoist_procedure.ts"),
  "hoist-mcp-demo": () => import("./cmd/hoist_mcp_demo.ts"),
};

interface Program {
  main(args: readonly string[]): Promise<number>;
}

const [name = "", ...args] = Deno.args;
const load = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
if (load === undefined) {
  const known = Object.keys(PROGRAMS).join(", ");
  const meant = nearest(name, Object.keys(PROGRAMS));
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  console.error(`main.ts: no program "${name}"; there are ${known}${hint}`);
  Deno.exit(2);
}
// No Deno.exit at status 0: the demo server answers what still waits before it goes.
Deno.exitCode = await (await load()).main(args);
if (Deno.exitCode !== 0 || name === "hoist-mcp") await exit(Deno.exitCode);
