/**
 * The confirmation judge with a System One server on loopback, and the conversation file as
 * it grows, both behind the permissions that a session keeps.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readConfirmLog } from "../util/confirm_log.ts";
import { executable } from "../util/executables.ts";
import { jevServer } from "../util/jev_server.ts";
import type { Json } from "../util/listening_proxy.ts";
import { type Transport, type WriteSession, writeSession } from "../util/write_session.ts";

const CANCEL = { order_id: "#W7a", reason: "no longer needed" };
const JUDGED = [
  ...["--domain", "retail", "--guards", "--context", "{dir}/c-{session}.jsonl"],
  ...["--confirm-judge", "enforce", "--oracle-cache", "{dir}/cache"],
];
const SECOND = ["--confirm-second", "proposed", "--confirm-second-shadow"];

function noul(id: string, p: number) {
  return {
    body: {
      model: "jev-1.13.0",
      answers: { [id]: { type: "noul", noul: p } },
      usage: { input_tokens: 300, output_tokens: 3 },
    },
  };
}

async function say(session: WriteSession, role: string, content: string): Promise<void> {
  const line = JSON.stringify({ role, content }) + "\n";
  await Deno.writeTextFile(`${session.dir}/c-host-1.jsonl`, line, { append: true });
}

async function known(transport: Transport, flags: readonly string[], env: Record<string, string>) {
  const session = await writeSession(transport, flags, {
    env: { HOIST_SESSION: "host-1", ...env },
  });
  await session.call("f", "find_user_id_by_email", { email: "c7@example.com" });
  await session.call("a", "get_order_details", { order_id: "#W7a" });
  return session;
}

const CACHE = ({ dir }: WriteSession) => ["--oracle-cache", `${dir}/cache`];

/** Runs `hoist`. */
async function hoist(...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const [program = "", ...first] = executable("hoist");
  const done = await new Deno.Command(program, { args: [...first, ...args] }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { stdout: text(done.stdout), stderr: text(done.stderr) };
}

function confirmLog(session: WriteSession) {
  const [name] = [...Deno.readDirSync(`${session.dir}/log`)].map((entry) => entry.name)
    .filter((entry) => entry.endsWith(".confirm.jsonl"));
  return readConfirmLog(Deno.readTextFileSync(`${session.dir}/log/${name}`));
}

for (const transport of ["stdio to stdio", "listen to upstream"] as const) {
  Deno.test(`${transport}: the judge asks System One, refuses on a no, and keeps the answers`, async () => {
    // The two questions of a write are asked at once.
    await using jev = jevServer([
      noul("agreed", 0.15),
      noul("proposed", 0.91),
    ]);
    const env = { TYPESAFE_API_KEY: "s3cret-key", TYPESAFE_BASE_URL: jev.url };
    await using session = await known(transport, [...JUDGED], env);
    await say(session, "assistant", "Shall I cancel #W7a?");
    await say(session, "user", "What does it cost?");
    const { text } = await session.call(7, "cancel_pending_order", CANCEL);
    assertEquals(
      text,
      "Refused by the policy check, so cancel_pending_order was not run and nothing changed: the customer has not explicitly agreed to this exact change (confirmation judge: p_yes 0.15); describe the change and ask the customer to confirm it first.",
    );
    assertEquals((await session.call(8, "cancel_pending_order", CANCEL)).text, text);
    assertEquals(jev.requests.length, 1, "the second time the cache knows");
    assertEquals(jev.requests[0]?.authorization, "Bearer s3cret-key");
    assertEquals(jev.requests[0]?.body.state, {
      agent_said_last: "Shall I cancel #W7a?",
      customer_replied: "What does it cost?",
      call: { tool: "cancel_pending_order", arguments: CANCEL },
    });
    const log = await session.end();
    assertEquals(confirmLog(session).map(({ p_yes, enforced }) => [p_yes, enforced]), [
      [0.15, true],
      [0.15, true],
    ]);
    const kept = JSON.stringify(log) + JSON.stringify(confirmLog(session)) +
      await session.stderr();
    assert(!kept.includes("s3cret-key"), "the key is kept nowhere");
    const offline = await hoist("confirm", "--sessions", `${session.dir}/log`, ...CACHE(session));
    assertStringIncludes(offline.stderr, "1 of 1 questions answered\n");
    assertStringIncludes(
      offline.stdout,
      "| not accepted | 2 of 2 (100.0 %) | 2 of 2 (100.0 %) | 0 |",
    );
    const guards = await hoist("guards", "--sessions", `${session.dir}/log`);
    assertStringIncludes(guards.stdout, "| retail.confirmed | log | 0/0/0 | 0/0/0 | 0/2/0 |");
    assertStringIncludes(
      guards.stdout,
      "| calls that guards refused in the session itself | 2 | |",
    );
  });
}

const ASKING = {
  hoist_guards: 1,
  rules: (["enforce", "log"] as const).map((mode) => ({
    id: `shop.${mode}`,
    for: ["cancel_pending_order"],
    mode,
    needs: ["heard"],
    ask: { question: `May it be cancelled? (${mode})`, yes: "It may.", no: "It may not." },
    because: "{args.order_id} may not be cancelled",
  })),
};

for (const transport of ["stdio to stdio", "listen to upstream"] as const) {
  Deno.test(`${transport}: rules that ask have the oracle decide, and the answers are logged`, async () => {
    await using jev = jevServer([noul("rule", 0.1), noul("rule", 0.05)]);
    const env = { TYPESAFE_API_KEY: "s3cret-key", TYPESAFE_BASE_URL: jev.url };
    const rules = await Deno.makeTempFile({ suffix: ".json" });
    await Deno.writeTextFile(rules, JSON.stringify(ASKING));
    const flags = [
      ...["--guards", "--guard-rules", rules, "--context", "{dir}/c-{session}.jsonl"],
      ...["--oracle", "jev", "--oracle-cache", "{dir}/cache"],
    ];
    await using session = await known(transport, flags, env);
    assertEquals((await session.call(6, "cancel_pending_order", CANCEL)).isError, false);
    assertEquals(jev.requests.length, 0, "its needs do not hold: nothing was said");
    await say(session, "user", "Cancel #W7a");
    const { text } = await session.call(7, "cancel_pending_order", CANCEL);
    assertEquals(
      text,
      "Refused by the policy check, so cancel_pending_order was not run and nothing changed: #W7a may not be cancelled (policy check shop.enforce).",
    );
    await session.end();
    assertEquals(
      jev.requests.map(({ body }) => body.state),
      [1, 2].map(() => ({
        conversation: [{ by: "customer", text: "Cancel #W7a" }],
        call: { tool: "cancel_pending_order", arguments: CANCEL },
      })),
    );
    const lines = confirmLog(session).map(({ rule, p_yes, fails, enforced }) =>
      [rule, p_yes, fails, enforced] as const
    );
    // Both are asked at once: which one is answered first is not said.
    assertEquals(lines.map(([rule, , fails, enforced]) => [rule, fails, enforced]).sort(), [
      ["shop.enforce", true, true],
      ["shop.log", true, false],
    ]);
    assertEquals(lines.map(([, p]) => p).sort(), [0.05, 0.1]);
    assertStringIncludes(await session.stderr(), "rules that ask: asked of jev-latest\n");
    await Deno.remove(rules);
  });
}

Deno.test("a judge that gets no answer refuses nothing and says why", async () => {
  await using jev = jevServer([{ status: 401, body: { error: "wrong key" } }]);
  const env = { TYPESAFE_API_KEY: "s3cret-key", TYPESAFE_BASE_URL: jev.url };
  await using session = await known("stdio to stdio", [...JUDGED, ...SECOND], env);
  await say(session, "user", "Hm");
  const { isError } = await session.call(7, "cancel_pending_order", CANCEL);
  assertEquals(isError, false);
  await session.end();
  const [entry] = confirmLog(session);
  assertEquals([entry?.p_yes, entry?.unknown, entry?.second_shadow], [null, true, true]);
  assertStringIncludes(entry?.error ?? "", "http_401");
  assertStringIncludes(await session.stderr(), "the oracle gives no answer (http_401): wrong key");
});

Deno.test("a judge without a key says so once and refuses nothing", async () => {
  const env = { TYPESAFE_API_KEY: "", TYPESAFE_API_KEY_FILE: "" };
  await using session = await known("stdio to stdio", JUDGED, env);
  await say(session, "user", "Hm");
  assertEquals((await session.call(7, "cancel_pending_order", CANCEL)).isError, false);
  await session.end();
  assertEquals(confirmLog(session).map(({ error }) => error), ["no_key"]);
  assertStringIncludes(await session.stderr(), "until then the judge refuses nothing");
});

Deno.test("the conversation file may be made later, emptied, replaced and have bad lines", async () => {
  const flags = ["--domain", "retail", "--guards", "--context", "{dir}/c-{session}.jsonl"];
  await using session = await known("stdio to stdio", flags, {});
  const path = `${session.dir}/c-host-1.jsonl`;
  const look = () => session.call(crypto.randomUUID(), "get_order_details", { order_id: "#W7a" });
  await look();
  await say(session, "user", "one");
  await look();
  await Deno.writeTextFile(path, "oops\nmore\n", { append: true });
  await say(session, "user", "two");
  await look();
  await Deno.writeTextFile(path, "");
  await look();
  await say(session, "user", "three");
  await look();
  await Deno.rename(path, `${path}.1`);
  await say(session, "user", "four");
  await look();
  const log = await session.end();
  const said = log.flatMap(({ from, message }: Json) =>
    from === "context" ? [message.content] : []
  );
  assertEquals(said, ["one", "two", "three", "four"]);
  const warned = (await session.stderr()).split("\n").filter((line) => line.includes("--context"));
  assertEquals(warned, [
    `hoist-mcp: --context "${path}" line 2 is skipped: it is not JSON; such lines are not mentioned again`,
  ]);
});
