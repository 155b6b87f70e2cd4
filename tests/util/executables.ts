/**
 * The command lines of the executables under test.
 *
 * By default they run from source with this Deno. `HOIST_BIN` names a folder
 * of compiled executables to test instead, `HOIST_DENO` another Deno to run the
 * sources with.
 *
 * @module
 */

const ROOT = new URL("../../", import.meta.url).pathname.replace(/\/$/, "");

/** The repository's folder. */
export { ROOT };

/**
 * The command line of one of our programs.
 *
 * @param program Such as `hoist-mcp`.
 * @returns Program and first arguments.
 */
export function executable(program: string): string[] {
  const bin = Deno.env.get("HOIST_BIN");
  if (bin !== undefined) return [`${bin}/${program}`];
  return [deno(), "run", "-A", "--no-prompt", `${ROOT}/cmd/${program.replaceAll("-", "_")}.ts`];
}

/** The command line of a module of tests/util, run with this Deno. */
export function util(module: string): string[] {
  return [Deno.execPath(), "run", "-A", `${ROOT}/tests/util/${module}.ts`];
}

function deno(): string {
  return Deno.env.get("HOIST_DENO") ?? Deno.execPath();
}
