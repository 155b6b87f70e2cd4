/**
 * Recorded sessions about orders, for the commands that read a folder of them.
 *
 * @module
 */

const text = (name: string) => ({ type: "string", description: `The ${name}.` });

const TOOLS = ([
  ["find_user", true, { email: text("email") }, ["email"]],
  ["get_user", true, { user_id: text("user") }, ["user_id"]],
  ["get_order", true, { order_id: text("order") }, ["order_id"]],
  ["search", true, { text: text("words"), limit: { type: "integer" } }, ["text"]],
  ["get_claim", true, { order_id: text("order") }, ["order_id"]],
  ["cancel", false, { order_id: text("order") }, ["order_id"]],
] as const).map(([name, readOnlyHint, properties, required]) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties, required },
  annotations: { readOnlyHint },
}));

/** Options for {@linkcode writeOrderSessions}. */
export interface OrderOptions {
  /** Number of the first session. */
  readonly from?: number;
  /** Before the name of each tool, for sessions of another server. */
  readonly prefix?: string;
}

/**
 * Writes sessions: a user is found and read, then one or two orders; half of them search with one
 * limit, and all cancel the first order.
 *
 * @param dir The folder, made if missing.
 * @param count How many.
 * @param options The first one's number, other tools.
 * @returns The logs' paths, oldest first.
 */
export async function writeOrderSessions(
  dir: string,
  count: number,
  { from = 0, prefix = "" }: OrderOptions = {},
): Promise<string[]> {
  await Deno.mkdir(dir, { recursive: true });
  const paths: string[] = [];
  for (let n = from; n < from + count; n++) {
    const started = 1794471303077 + n * 3_600_000;
    const session = `${new Date(started).toISOString().replace(/[-:]/g, "")}-911`;
    const header = {
      hoist_mcp_log: 2,
      session,
      started_unix_ms: started,
      server_command: ["server"],
      domain: "orders",
      agent_model: "m",
    };
    const path = `${dir}/${session}.jsonl`;
    const lines = [header, ...sessionLines(n, prefix)];
    await Deno.writeTextFile(path, lines.map((line) => JSON.stringify(line) + "\n").join(""));
    paths.push(path);
  }
  return paths;
}

function sessionLines(n: number, prefix: string): unknown[] {
  const lines: unknown[] = [];
  let [t, id] = [0, 0];
  const rpc = (method: string, params: unknown, result: unknown) => {
    id++;
    const request = { jsonrpc: "2.0", id, method, params };
    lines.push({ t_ms: t += 2000, from: "client", message: request });
    lines.push({ t_ms: t += 20, from: "server", message: { jsonrpc: "2.0", id, result } });
  };
  const call = (name: string, args: unknown, value: unknown) => {
    const said = typeof value === "string" ? value : JSON.stringify(value);
    const result = { content: [{ type: "text", text: said }] };
    rpc("tools/call", { name: prefix + name, arguments: args }, result);
  };
  const says = (role: string, content: string) =>
    lines.push({ t_ms: t += 2000, from: "context", message: { role, content } });
  rpc("tools/list", {}, { tools: TOOLS.map((tool) => ({ ...tool, name: prefix + tool.name })) });
  const [a, b, user] = [`#W${50_000 + n}`, `#W${60_000 + n}`, `user_${7000 + n}`];
  says("user", `Please cancel ${n % 3 ? "my order" : b}. I am c${n}@post.example`);
  call("find_user", { email: `c${n}@post.example` }, user);
  call("get_user", { user_id: user }, { user_id: user, orders: [a, b] });
  call("get_order", { order_id: a }, { order_id: a, status: "pending" });
  if (n % 2) call("get_order", { order_id: b }, { order_id: b, status: "delivered" });
  if (n % 4 < 2) call("search", { text: `lamp ${n}`, limit: 20 }, { hits: [] });
  says("assistant", "Shall I?");
  says("user", "Yes.");
  call("cancel", { order_id: a }, { order_id: a, status: "cancelled" });
  says("assistant", "Done.");
  return lines;
}
