/**
 * `hoist`, which says on stderr what permissions are left when its command is done.
 *
 * Usage: that of `hoist`.
 *
 * @module
 */

import { main } from "../../cmd/hoist.ts";
import { permissionsLeft } from "../../lib/host/permissions.ts";

const code = await main(Deno.args);
permissionsLeft().forEach((line) => console.error(line));
Deno.exit(code);
