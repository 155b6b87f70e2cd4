/**
 * A process that says `ready`, waits for its stdin to end, and then makes one call
 * on a state root that others use too. Arguments: tool, its arguments as JSON,
 * milliseconds since 1970.
 *
 * @module
 */

import { readHaiConfig } from "../../lib/hai/state/config.ts";
import { TOOLS } from "../../lib/hai/tools/tools.ts";
import { HaiShell } from "../../lib/hai/shell/hai_shell.ts";

const [name = "", args = "{}", now = "0"] = Deno.args;
const config = readHaiConfig((variable) => Deno.env.get(variable), "/nowhere");
const shell = new HaiShell(config, {
  version: "0.1.0",
  caller: "the test's agent",
  unixMs: () => Number(now),
  onFault: (error) => console.error(error),
});
if (!TOOLS.has(name)) throw new Error(`There is no tool ${name}`);
console.log("ready");
for await (const _ of Deno.stdin.readable);
console.log(JSON.stringify(await shell.call(name, JSON.parse(args))));
