/** A redacted copy teaches what the original does: `hoist redact`, then `hoist learn` on both. */

import { assert, assertEquals } from "@std/assert";
import { main } from "../cmd/hoist.ts";
import { readFlow } from "../lib/flow/file/read_flow.ts";
import type { Runtime } from "../lib/ports/runtime.ts";
import { says, type ScriptLine } from "./util/script_log.ts";

const SESSIONS = 24;

const TOOLS = [["find_user", true], ["get_user", true], ["get_order", true], ["cancel", false]];

const LISTING = TOOLS.map(([name, readOnlyHint]) => ({
  name,
  inputSchema: { type: "object" },
  annotations: { readOnlyHint },
}));

/** What only one session holds. */
function secretsOf(n: number) {
  return {
    email: `customer${n}@post.example`,
    user: `user_${7000 + n}`,
    name: `Zz${String.fromCharCode(97 + n)}olina`,
    orders: [`#W${50_000 + n}`, `#W${60_000 + n}`],
    total: 12_000 + n,
  };
}

/** A customer is found, the profile is read, then the order that was named or both to cancel one. */
function conversation(n: number): ScriptLine[] {
  const { email, user, name, orders, total } = secretsOf(n);
  const isNamed = n % 3 === 0;
  const [first, second] = orders;
  const lines: ScriptLine[] = [];
  let t = 0;
  let id = 0;
  const said = (role: "user" | "assistant", text: string) =>
    lines.push([t += 2000, "context", says(role, text)]);
  const rpc = (method: string, params: unknown, result: unknown) => {
    id++;
    lines.push([t += 2000, "client", { jsonrpc: "2.0", id, method, params }]);
    lines.push([t += 20, "server", { jsonrpc: "2.0", id, result }]);
  };
  const call = (tool: string, args: unknown, value: unknown) =>
    rpc("tools/call", { name: tool, arguments: args }, {
      content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }],
    });
  const read = (order: string | undefined, status: string) =>
    call("get_order", { order_id: order }, { order_id: order, status, total, user_id: user });
  rpc("tools/list", {}, { tools: LISTING });
  const wish = n % 2 === 0 ? "Please cancel my order" : "I want to return an order";
  said("user", `${wish}${isNamed ? ` ${second}` : ""}. I am ${name}, ${email}.`);
  call("find_user", { email }, user);
  call("get_user", { user_id: user }, { user_id: user, name: { first_name: name }, orders });
  if (isNamed) read(second, "pending");
  else if (n % 2 === 0) {
    read(first, "pending");
    read(second, "delivered");
  }
  said("assistant", "Shall I?");
  said("user", "Yes, please.");
  if (n % 2 === 0) call("cancel", { order_id: second }, { order_id: second, status: "cancelled" });
  said("assistant", "Done.");
  return lines;
}

async function writeSessions(dir: string): Promise<void> {
  await Deno.mkdir(dir);
  for (let n = 0; n < SESSIONS; n++) {
    const session = `20261112T0815${10 + n}.000Z-${900 + n}`;
    const header = {
      hoist_mcp_log: 2,
      session,
      started_unix_ms: 1794471303077 + n * 1000,
      server_command: ["server"],
      domain: "shop",
      agent_model: "m",
    };
    const lines = conversation(n).map(([t_ms, from, message]) => ({ t_ms, from, message }));
    const text = [header, ...lines].map((line) => JSON.stringify(line) + "\n").join("");
    await Deno.writeTextFile(`${dir}/${session}.jsonl`, text);
  }
}

async function hoist(args: readonly string[]): Promise<void> {
  let err = "";
  const env: Readonly<Record<string, string>> = { HOIST_REDACT_SALT: "a salt of the test" };
  const runtime: Runtime = {
    say: (line) => err += `${line}\n`,
    print: () => {},
    env: (name) => env[name],
    unixMs: () => 1000,
    monotonicMs: () => 0,
    stdoutIsTerminal: false,
    pid: 1,
    parentPid: undefined,
  };
  assertEquals(await main(args, runtime), 0, err);
}

async function textOf(dir: string): Promise<string> {
  let text = "";
  for (const { name } of Deno.readDirSync(dir)) text += await Deno.readTextFile(`${dir}/${name}`);
  return text;
}

Deno.test("hoist learn on a redacted copy gives the same flow", async () => {
  const dir = await Deno.makeTempDir();
  try {
    await writeSessions(`${dir}/original`);
    await hoist(["redact", "--sessions", `${dir}/original`, "--out", `${dir}/copy`]);
    for (const name of ["original", "copy"]) {
      await hoist(["learn", "--sessions", `${dir}/${name}`, "--out", `${dir}/${name}.flow.json`]);
    }
    const original = await Deno.readTextFile(`${dir}/original.flow.json`);
    assertEquals(await Deno.readTextFile(`${dir}/copy.flow.json`), original);

    // The flow is worth comparing: it picks by what was named, and its weights by what was said.
    const flow = readFlow(original, "original.flow.json");
    const [plain, mentioned] = flow.bindings.agreed.get("get_order") ?? [[0, 0], [0, 0]];
    assert(plain[0] > 8 && mentioned[0] === 8, `${plain} and ${mentioned}`);
    assert(flow.cues?.words.includes("cancel"), String(flow.cues?.words));

    const copies = (await textOf(`${dir}/copy`)).toLowerCase();
    for (let n = 0; n < SESSIONS; n++) {
      const { orders, ...rest } = secretsOf(n);
      for (const secret of [...orders.map((order) => order.slice(1)), ...Object.values(rest)]) {
        assert(!copies.includes(String(secret).toLowerCase()), `${secret} is in the copy`);
        assert(!original.toLowerCase().includes(String(secret).toLowerCase()));
      }
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
