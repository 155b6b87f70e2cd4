/**
 * A flow of the shape server, learned as a user would: from sessions recorded through the proxy in
 * which an agent opens a document and reads its parts.
 *
 * @module
 */

import { executable, ROOT } from "../util/executables.ts";
import { StdioHost } from "../util/stdio_host.ts";
import { SHAPES } from "./shape_server.ts";

/**
 * The command of the shape server.
 *
 * @param bytes Size of an own answer.
 * @param parts How many parts it names.
 */
export function shapeServer(bytes: number, parts: number): string[] {
  const file = `${ROOT}/tests/hosts/shape_server.ts`;
  return [Deno.execPath(), "run", "-A", "--quiet", file, `${bytes}`, `${parts}`];
}

/**
 * Records sessions and learns a flow from them.
 *
 * @param dir An empty folder.
 * @returns The flow's file.
 */
export async function learnShapes(dir: string): Promise<string> {
  for (const shape of Object.keys(SHAPES)) {
    for (const parts of [1, 3, 2, 4]) await record(`${dir}/sessions`, shape, parts);
  }
  const out = `${dir}/shapes.flow.json`;
  const [program = "", ...args] = executable("hoist");
  const { success, stderr } = await new Deno.Command(program, {
    args: [...args, "learn", "--sessions", `${dir}/sessions`, "--habit-only", "--out", out],
  }).output();
  if (!success) throw new Error(`Cannot learn: ${new TextDecoder().decode(stderr)}`);
  return out;
}

/** An agent that opens a document and reads its parts, one a turn. */
async function record(dir: string, shape: string, parts: number): Promise<void> {
  const server = shapeServer(20, parts);
  const host = await StdioHost.start([
    ...executable("hoist-mcp"),
    "--record",
    dir,
    "--",
    ...server,
  ]);
  await host.request("tools/list");
  const id = `doc-${shape}-${parts}`;
  await host.request("tools/call", { name: `open_${shape}`, arguments: { id } });
  for (let part = 1; part <= parts; part++) {
    await host.request("tools/call", {
      name: "get_part",
      arguments: { part: `${id}-part-${part}` },
    });
  }
  await host.close();
}
