/**
 * A flow of the demo's shop, learned as a user would: sessions are recorded
 * through the proxy, and `hoist learn` reads them.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { executable } from "./executables.ts";
import { StdioHost } from "./stdio_host.ts";

/** The demo's shop. */
export const SHOP = [...executable("hoist-mcp-demo"), "--world", "retail"];

/**
 * Records sessions of the shop, and learns a flow from them.
 *
 * @param dir An empty folder.
 * @returns The flow's file.
 */
export async function learnRetail(dir: string): Promise<string> {
  await Promise.all([1, 2, 3, 4, 5].map((n) => record(`${dir}/learned`, n)));
  const out = `${dir}/retail.flow.json`;
  const [program = "", ...args] = executable("hoist");
  const { code, stderr } = await new Deno.Command(program, {
    args: [
      ...args,
      "learn",
      "--sessions",
      `${dir}/learned`,
      "--domain",
      "retail",
      "--habit-only",
      "--out",
      out,
    ],
  }).output();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
  return out;
}

/** What an agent of the shop does: it finds the customer, and reads the orders. */
async function record(dir: string, n: number): Promise<void> {
  const host = await StdioHost.start([
    ...executable("hoist-mcp"),
    "--record",
    dir,
    "--domain",
    "retail",
    "--",
    ...SHOP,
  ]);
  await host.request("tools/list");
  const call = (name: string, args: Record<string, string>) =>
    host.request("tools/call", { name, arguments: args });
  await call("find_user_id_by_email", { email: `c${n}@example.com` });
  await call("get_user_details", { user_id: `user_${n}` });
  await call("get_order_details", { order_id: `#W${n}a` });
  await call("cancel_pending_order", { order_id: `#W${n}a`, reason: "no longer needed" });
  assertEquals((await host.close()).code, 0);
}

// deno-lint-ignore no-explicit-any
type Json = any;

/**
 * What one session left in a folder.
 *
 * @param dir The folder.
 * @returns The session log's lines and the flow log's, read.
 */
export async function recorded(dir: string): Promise<{ session: Json[]; flow: Json[] }> {
  const names = [...Deno.readDirSync(dir)].map(({ name }) => name).sort();
  const lines = async (isFlow: boolean) => {
    const found = names.filter((name) => name.endsWith(".flow.jsonl") === isFlow);
    assertEquals(found.length, 1, names.join());
    const text = await Deno.readTextFile(`${dir}/${found[0]}`);
    return text.split("\n").slice(0, -1).map((line): Json => JSON.parse(line));
  };
  return { session: await lines(false), flow: await lines(true) };
}

/**
 * A flow with an arbiter that believes the oracle.
 *
 * @param text A flow.
 * @returns It, with the arbiter.
 */
export function withArbiter(text: string): string {
  const rates = { sites: [], agree: 0.9, cover: 1 };
  const folds = Array(5).fill({ weights: [0, 1, 0, 0, 0], rates });
  return JSON.stringify({ ...JSON.parse(text), folds, model: "jev-1" });
}
