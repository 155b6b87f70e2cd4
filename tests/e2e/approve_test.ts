/**
 * Approvals on the running programs: `hoist-mcp --approve` holds a call, and a person answers at
 * a terminal, on every transport.
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { executable } from "../util/executables.ts";
import { toolCall } from "../util/listening_proxy.ts";
import { atTerminal, hasTerminal } from "../util/terminal.ts";
import { TRANSPORTS, type WriteSession, writeSession } from "../util/write_session.ts";

const CANCEL = { order_id: "#W7a", reason: "no longer needed" };
const RULES = `{"hoist_guards": 1, "rules": [{"id": "shop.cancel", "for": ["cancel_pending_order"],
  "mode": "enforce", "approve": "args.order_id != '#W8a'", "because": "{args.order_id} would be gone"}]}`;

async function held(transport: (typeof TRANSPORTS)[number], flags: readonly string[] = []) {
  const rules = await Deno.makeTempFile({ suffix: ".json" });
  await Deno.writeTextFile(rules, RULES);
  const approve = ["--approve", rules, "--approve-dir", "{dir}/held", "--approve-wait", "3000"];
  const session = await writeSession(transport, [...approve, ...flags]);
  await Deno.remove(rules); // It was read at the start.
  return session;
}

/** Answers the call that waits, at a terminal. */
async function answer(session: WriteSession, word: "yes" | "no") {
  const dir = `${session.dir}/held`;
  while (![...Deno.readDirSync(dir)].some(({ name }) => name.endsWith(".call.json"))) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const hoist = executable("hoist").join(" ");
  const typing = { after: `to say ${word} to exactly this`, type: `${word}\n` };
  return await atTerminal(`${hoist} approve ${word} --approve-dir ${dir}`, typing);
}

for (const transport of TRANSPORTS) {
  Deno.test({
    name: `approvals, ${transport}: a call waits for a person, and goes on or is refused`,
    ignore: !hasTerminal,
    async fn() {
      await using session = await held(transport);
      await session.call("f", "find_user_id_by_email", { email: "c7@example.com" });
      const asked = session.call("c", "cancel_pending_order", CANCEL);
      const { out } = await answer(session, "yes");
      for (const part of ["cancel_pending_order", "#W7a would be gone", '"no longer needed"']) {
        assertStringIncludes(out, part);
      }
      assertStringIncludes((await asked).text, '"cancelled"');
      const again = session.call("d", "cancel_pending_order", { ...CANCEL, order_id: "#W7b" });
      await answer(session, "no");
      const refused = await again;
      assertEquals(refused.isError, true);
      assertMatch(refused.text, /^Refused by the policy check, .* a person said no\./);
      const lines = await session.end();
      const sent = lines.filter(({ message }) => message?.method === "tools/call");
      assertEquals(sent.length >= 3, true);
      assertEquals([...Deno.readDirSync(`${session.dir}/held`)], []);
    },
  });
}

Deno.test("approvals: a call that its host cancels leaves the folder, and the session goes on", async () => {
  await using session = await held("stdio to stdio");
  const folder = () => [...Deno.readDirSync(`${session.dir}/held`)].length;
  await session.tell({
    ...toolCall("c", "cancel_pending_order", CANCEL),
  });
  await session.call("f", "find_user_id_by_email", { email: "c7@example.com" });
  assertEquals(folder(), 1);
  const cancelled = { method: "notifications/cancelled", params: { requestId: "c" } };
  await session.tell({ jsonrpc: "2.0", ...cancelled });
  await session.call("g", "find_user_id_by_email", { email: "c7@example.com" });
  assertEquals(folder(), 0);
});

Deno.test("approvals: rules that ask a person need --approve, and --approve such rules", async () => {
  const [program = "", ...args] = executable("hoist-mcp");
  const rules = await Deno.makeTempFile({ suffix: ".json" });
  const run = async (...flags: string[]) => {
    const { code, stderr } = await new Deno.Command(program, {
      args: [...args, ...flags, "--", "true"],
      stdin: "null",
    }).output();
    return { code, stderr: new TextDecoder().decode(stderr) };
  };
  await Deno.writeTextFile(rules, RULES);
  const guards = await run("--guards", "--guard-rules", rules);
  assertEquals(guards.code, 2);
  assertStringIncludes(guards.stderr, "asks a person; give the file to --approve as well");
  await Deno.writeTextFile(rules, RULES.replace('"approve"', '"refuse"'));
  const approve = await run("--approve", rules);
  assertEquals(approve.code, 2);
  assertStringIncludes(approve.stderr, "no rule of it has the key approve");
  const stray = await run("--approve-wait", "5");
  assertEquals(stray.code, 2);
  assertStringIncludes(stray.stderr, "--approve-wait needs --approve");
  await Deno.remove(rules);
});

Deno.test("guards read a YAML rule file where the session runs in a worker", async () => {
  const rules = await Deno.makeTempFile({ suffix: ".yaml" });
  await Deno.writeTextFile(
    rules,
    "hoist_guards: 1\nrules:\n- {id: a.b, for: [cancel_pending_order], mode: enforce, refuse: 'true', because: never}\n",
  );
  const flags = ["--guards", "--guard-rules", rules, "--context", "{dir}/c.jsonl"];
  await using session = await writeSession("stdio to stdio", flags);
  const { text } = await session.call("c", "cancel_pending_order", CANCEL);
  assertMatch(text, /never \(policy check a\.b\)/);
  await Deno.remove(rules);
});
