/**
 * A program of ours, which says on stderr what permissions are left when it is done.
 *
 * Usage: PROGRAM [ARGUMENTS]; a server ends when its input does.
 *
 * @module
 */

import { permissionsLeft } from "../../lib/runtime/permissions.ts";

const [program = "", ...args] = Deno.args;
const { main } = await import(`../../cmd/${program.replaceAll("-", "_")}.ts`);
const code = await main(args);
permissionsLeft().forEach((line) => console.error(line));
Deno.exit(code);
