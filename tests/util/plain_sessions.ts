/**
 * Sessions of an agent in the made-up shop, as `hoist-mcp --record` and
 * `--context` would have written them, and the folder that `tau2_server.ts` serves.
 *
 * @module
 */

import { headerLine, sessionId } from "../../lib/log/header.ts";
import { Tau2Tools } from "../../lib/tau2/tools.ts";
import { at, type JsonObject } from "../../lib/json/json.ts";
import { Chance, type ShopCall, type ShopTicket } from "./plain_shop.ts";
import type { PlainTickets } from "./plain_tickets.ts";

const TOOLS: readonly (readonly [name: string, isRead: boolean | undefined, args: string])[] = [
  ["find_user_id_by_email", true, "email"],
  ["get_user_details", true, "user_id"],
  ["get_order_details", true, "order_id"],
  ["get_product_details", true, "product_id"],
  ["cancel_pending_order", false, "order_id reason"],
  ["return_delivered_order_items", false, "order_id item_ids[] payment_method_id"],
  [
    "exchange_delivered_order_items",
    false,
    "order_id item_ids[] new_item_ids[] payment_method_id",
  ],
  [
    "modify_pending_order_address",
    false,
    "order_id address1 address2 city country state zip",
  ],
  ["transfer_to_human_agents", undefined, "summary"],
];

/** The tools as a server lists them. */
const LISTING = TOOLS.map(([name, isRead, args]) => ({
  name,
  annotations: isRead === undefined ? {} : { readOnlyHint: isRead },
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(
      args.split(" ").map((arg) => [
        arg.replace("[]", ""),
        arg.endsWith("[]") ? { type: "array", items: { type: "string" } } : { type: "string" },
      ]),
    ),
    required: args.replaceAll("[]", "").split(" "),
  },
}));

/**
 * Writes the folder of a fixture server.
 *
 * @param dir Where.
 * @param tickets Whose shop.
 */
export async function writeShop(dir: string, { shop }: PlainTickets): Promise<void> {
  await Deno.mkdir(`${dir}/tools`, { recursive: true });
  await Deno.mkdir(`${dir}/db`, { recursive: true });
  const kinds = TOOLS.map(([name, isRead], i) => ({
    ...LISTING[i],
    name,
    kind: isRead === undefined ? "generic" : isRead ? "read" : "write",
  }));
  await Deno.writeTextFile(
    `${dir}/tools/retail-manifest.json`,
    JSON.stringify({ domain: "retail", tools: kinds }),
  );
  // It is read by content, so it need not be compressed.
  await Deno.writeTextFile(`${dir}/db/retail-db.json.gz`, JSON.stringify(shop.data));
}

/**
 * Writes a session log for each training ticket.
 *
 * @param dir Where; it is made.
 * @param tickets The tickets.
 */
export async function writeSessions(dir: string, { shop, train }: PlainTickets): Promise<void> {
  await Deno.mkdir(dir, { recursive: true });
  for (const [i, ticket] of train.entries()) {
    const tools = new Tau2Tools("retail", shop.data);
    const startedUnixMs = Date.UTC(2026, 0, 5) + i * 60_000;
    const lines = [headerLine({
      startedUnixMs,
      pid: 100 + i,
      serverCommand: ["shop"],
      domain: "retail",
      agentModel: "an agent",
    })];
    let t_ms = 0;
    const line = (from: string, message: JsonObject) =>
      lines.push(JSON.stringify({ t_ms: t_ms += 1000, from, message }));
    let id = 0;
    const exchange = (method: string, params: JsonObject, result: JsonObject) => {
      line("client", { jsonrpc: "2.0", id: ++id, method, params });
      line("server", { jsonrpc: "2.0", id, result });
    };
    exchange("tools/list", {}, { tools: LISTING });
    line("context", { role: "user", content: ticket.ticket });
    for (const { tool, arguments: args } of callsFor(ticket, tools, new Chance(900 + i))) {
      const { text, isError } = tools.callTool(tool, args);
      exchange("tools/call", { name: tool, arguments: args }, {
        content: [{ type: "text", text }],
        isError,
      });
    }
    line("context", { role: "assistant", content: "Is there anything else?" });
    const name = `${sessionId(startedUnixMs, 100 + i)}.jsonl`;
    await Deno.writeTextFile(`${dir}/${name}`, `${lines.join("\n")}\n`);
  }
}

/** The calls of an agent that knows its work, and looks up no more than it feels like. */
function* callsFor(ticket: ShopTicket, tools: Tau2Tools, chance: Chance): Generator<ShopCall> {
  const look = (tool: string, args: JsonObject) => tools.callTool(tool, args).text;
  const find = { tool: "find_user_id_by_email", arguments: { email: ticket.email } };
  yield find;
  const user_id = look(find.tool, find.arguments);
  yield { tool: "get_user_details", arguments: { user_id } };
  const user: unknown = JSON.parse(look("get_user_details", { user_id }));
  const orders = at(user, "orders");
  const wanted = new Set(ticket.writes.map(({ arguments: args }) => args.order_id));
  const isThorough = chance.below(4) > 0 || wanted.size === 0;
  for (const order_id of Array.isArray(orders) ? orders : []) {
    yield { tool: "get_order_details", arguments: { order_id } };
    wanted.delete(order_id);
    if (!isThorough && wanted.size === 0) break;
  }
  for (const write of ticket.writes) {
    if (write.tool === "exchange_delivered_order_items") {
      const { order_id, item_ids } = write.arguments;
      const order: unknown = JSON.parse(look("get_order_details", { order_id }));
      const items = at(order, "items");
      for (const item of Array.isArray(items) ? items : []) {
        const isMeant = Array.isArray(item_ids) && item_ids.includes(at(item, "item_id"));
        const product_id = at(item, "product_id");
        if (isMeant) yield { tool: "get_product_details", arguments: { product_id } };
      }
    }
    yield write;
  }
  if (ticket.writes.length === 0) {
    yield { tool: "transfer_to_human_agents", arguments: { summary: "It is not plain." } };
  }
}
