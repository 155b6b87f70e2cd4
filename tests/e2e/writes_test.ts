/**
 * Writes on the retail demo, on real processes and through every transport: guards, the
 * judge, the commit tool and the conversation.
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { readConfirmLog } from "../util/confirm_log.ts";
import { printFlow } from "../../lib/flow/file/print_flow.ts";
import { sourceOf } from "../../lib/learn/episode_source.ts";
import { learnFlow } from "../../lib/learn/learn_flow.ts";
import { linkEpisode } from "../../lib/trace/episode.ts";
import type { Episode } from "../../lib/trace/episode.ts";
import type { RecordedEvent } from "../../lib/trace/recorded_episode.ts";
import type { JsonObject } from "../../lib/json/json.ts";
import { executable, util } from "../util/executables.ts";
import { type Json, ListeningProxy, messagesOf, toolCall } from "../util/listening_proxy.ts";
import { read } from "../util/parcels.ts";
import {
  type Transport,
  TRANSPORTS,
  type WriteSession,
  writeSession,
} from "../util/write_session.ts";

const REFUSED =
  "Refused by the policy check, so cancel_pending_order was not run and nothing changed: 'found it cheaper' is not an accepted reason (policy check retail.cancel_reason).";
const GUARDS = ["--domain", "retail", "--guards"];
const CANCEL = (order: string, reason: string) => ({
  name: "cancel_pending_order",
  arguments: { order_id: order, reason },
});
const BAD = CANCEL("#W7a", "found it cheaper");
const GOOD = CANCEL("#W7a", "no longer needed");

/** A session in which the customer and both orders are known. */
async function known(transport: Transport, flags: readonly string[]) {
  const session = await writeSession(transport, flags, { env: { HOIST_SESSION: "host-1" } });
  await session.call("f", "find_user_id_by_email", { email: "c7@example.com" });
  await session.call("a", "get_order_details", { order_id: "#W7a" });
  await session.call("b", "get_order_details", { order_id: "#W7b" });
  return session;
}

/** Who the log says sent what about a request. */
function senders(log: readonly Json[], id: unknown): string[] {
  return log.slice(1).flatMap(({ from, message }) =>
    [message].flat().some((one: Json) => one?.id === id) ? [from] : []
  );
}

function commit(session: WriteSession, id: unknown, ...calls: readonly Json[]) {
  return session.call(id, "hoist_commit", { calls });
}

for (const transport of TRANSPORTS) {
  Deno.test(`${transport}: a bad write is refused and never reaches the server`, async () => {
    await using session = await known(transport, GUARDS);
    const refused = await session.call(7, BAD.name, BAD.arguments);
    assertEquals(refused, { text: REFUSED, isError: true });
    const made = await session.call(8, GOOD.name, GOOD.arguments);
    assertEquals(made, { text: '{"order_id":"#W7a","status":"cancelled"}', isError: false });
    const log = await session.end();
    assertEquals([senders(log, 7), senders(log, 8)], [["client", "proxy"], ["client", "server"]]);
    assertStringIncludes(await session.stderr(), "guards retail: 28 rules, 20 enforced");
  });

  Deno.test(`${transport}: hoist_commit makes calls in order and stops at a refusal`, async () => {
    await using session = await known(transport, [...GUARDS, "--commit"]);
    assertStringIncludes(session.initialized.instructions, "hoist_commit");
    const listed = (await session.ask({ jsonrpc: "2.0", id: "l", method: "tools/list" })).get("l");
    const names = listed.result.tools.map((tool: Json) => tool.name);
    assertEquals([names.length, names.at(-1)], [5, "hoist_commit"]);
    const bad = CANCEL("#W7b", "found it cheaper");
    const { text, isError } = await commit(session, 7, GOOD, bad, CANCEL("#W7b", GOOD.name));
    assertEquals(isError, true);
    assertEquals(text.split("\n\n"), [
      'cancel_pending_order {"order_id":"#W7a","reason":"no longer needed"}:\n' +
      '{"order_id":"#W7a","status":"cancelled"}',
      'cancel_pending_order {"order_id":"#W7b","reason":"found it cheaper"} was refused:\n' +
      REFUSED,
      'cancel_pending_order {"order_id":"#W7b","reason":"cancel_pending_order"} was not run.',
    ]);
    const log = await session.end();
    assertEquals(senders(log, 7), ["client", "proxy"]);
    const own = log.filter(({ from, message }) =>
      from === "proxy" && message.method === "tools/call"
    );
    assertEquals(own.map(({ message }) => message.params.arguments), [GOOD.arguments]);
  });

  Deno.test(`${transport}: the judge refuses what the customer did not agree to`, async () => {
    const flags = [...GUARDS, "--context", "{dir}/context-{session}.jsonl", "--oracle", "mock"];
    const judge = ["--confirm-judge", "enforce", "--confirm-threshold", "0.6"];
    await using session = await known(transport, [...flags, ...judge]);
    const say = (role: string, content: string) =>
      Deno.writeTextFile(
        `${session.dir}/context-host-1.jsonl`,
        JSON.stringify({ role, content }) + "\n",
        { append: true },
      );
    assertEquals((await session.call(6, GOOD.name, GOOD.arguments)).isError, false);
    await say("assistant", "Shall I cancel #W7b?");
    await say("user", "Which one is that?");
    const refused = await session.call(7, GOOD.name, CANCEL("#W7b", "no longer needed").arguments);
    assertEquals(refused, {
      text:
        "Refused by the policy check, so cancel_pending_order was not run and nothing changed: the customer has not explicitly agreed to this exact change (confirmation judge: p_yes 0.50); describe the change and ask the customer to confirm it first.",
      isError: true,
    });
    const log = await session.end();
    const at = log.findIndex(({ from }) => from === "context");
    assertEquals(log.slice(at, at + 3).map(({ from, message }) => [from, message.content]), [
      ["context", "Shall I cancel #W7b?"],
      ["context", "Which one is that?"],
      ["client", undefined],
    ]);
    assertEquals(log[at + 2]?.message.id, 7);
    const [name] = [...Deno.readDirSync(`${session.dir}/log`)].map((entry) => entry.name)
      .filter((entry) => entry.endsWith(".confirm.jsonl"));
    const entries = readConfirmLog(
      await Deno.readTextFile(`${session.dir}/log/${name}`),
    );
    assertEquals(
      entries.map(({ word_list, p_yes, enforced, error }) => ({
        word_list,
        p_yes,
        enforced,
        error,
      })),
      [
        { word_list: null, p_yes: null, enforced: false, error: "no_conversation" },
        { word_list: false, p_yes: 0.5, enforced: true, error: undefined },
      ],
    );
  });
}

/** What every message of the modern era carries. */
const MODERN = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "t", version: "0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Rules for a server of tests: it may not say "bad". */
const ECHO_RULES = JSON.stringify({
  hoist_guards: 1,
  tables: {
    said: { fill: [{ tools: ["echo"], key: "text" }] },
    slept: { fill: [{ tools: ["sleep"], key: "text" }] },
  },
  rules: [
    {
      id: "echo.bad",
      for: ["echo", "sleep", "progress"],
      mode: "enforce",
      refuse: "has(args.text) && args.text == 'bad'",
      because: "'{args.text}' is not for saying",
    },
    {
      id: "echo.hello_first",
      for: ["sleep"],
      mode: "enforce",
      refuse: "!('hello' in said)",
      because: "nobody said hello",
    },
    {
      id: "echo.slept_first",
      for: ["whoami"],
      mode: "enforce",
      refuse: "!('slept' in slept)",
      because: "nobody slept",
    },
  ],
});
const BAD_ECHO =
  "Refused by the policy check, so echo was not run and nothing changed: 'bad' is not for saying (policy check echo.bad).";

/** Runs a test on the echo server with rules for it. */
async function echoing(
  flags: readonly string[],
  run: (session: WriteSession) => Promise<void>,
): Promise<void> {
  const path = await Deno.makeTempFile({ suffix: ".json" });
  try {
    await Deno.writeTextFile(path, ECHO_RULES);
    const guards = ["--guards", "--guard-rules", path, ...flags];
    const server = [...util("echo_mcp_server"), "--modern"];
    await using session = await writeSession("stdio to stdio", guards, { server });
    await run(session);
  } finally {
    await Deno.remove(path);
  }
}

Deno.test("of a batch with one bad write the rest goes on", () =>
  echoing([], async (session) => {
    const answers = await session.ask(
      toolCall(6, "echo", { text: "one" }),
      toolCall(7, "echo", { text: "bad" }),
      toolCall(8, "echo", { text: "two" }),
    );
    const texts = [6, 7, 8].map((id) => answers.get(id).result.content[0].text);
    assertEquals(texts, ["one", BAD_ECHO, "two"]);
    assertEquals(senders(await session.end(), 7), ["client", "proxy"]);
  }));

Deno.test("a modern request is refused in its own era, and told of hoist_commit (S24)", () =>
  echoing(["--commit"], async (session) => {
    const answers = await session.ask(toolCall(7, "echo", { text: "bad" }, MODERN));
    assertEquals(answers.get(7).result, {
      resultType: "complete",
      content: [{ type: "text", text: BAD_ECHO }],
      isError: true,
    });
    const discover = {
      jsonrpc: "2.0",
      id: 8,
      method: "server/discover",
      params: { _meta: MODERN },
    };
    const { instructions } = (await session.ask(discover)).get(8).result;
    assertStringIncludes(instructions, "hoist_commit");
    const calls = [{ name: "echo", arguments: { text: "bad" } }];
    const committed = await session.ask(toolCall(9, "hoist_commit", { calls }, MODERN));
    assertEquals(committed.get(9).result, {
      resultType: "complete",
      content: [{ type: "text", text: `echo {"text":"bad"} was refused:\n${BAD_ECHO}` }],
      isError: true,
    });
  }));

Deno.test.each<{ before: string }>([
  { before: "a command" },
  { before: "an upstream" },
])(
  "a modern host over HTTP before $before is known by its Hoist-Session header",
  async ({ before }) => {
    const path = await Deno.makeTempFile({ suffix: ".json" });
    try {
      await Deno.writeTextFile(path, ECHO_RULES);
      const server = ["--", ...util("echo_mcp_server"), "--modern"];
      // A proxy that only forwards is a modern server over HTTP.
      await using upstream = await ListeningProxy.start({ server });
      await using proxy = await ListeningProxy.start({
        flags: ["--guards", "--guard-rules", path, "--commit"],
        server: before === "a command" ? server : ["--upstream", upstream.url],
      });
      const call = async (name: string, args: JsonObject, session?: string) => {
        const response = await proxy.post(toolCall(1, name, args, MODERN), {
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": name,
          ...(session === undefined ? {} : { "hoist-session": session }),
        });
        const { isError = false } = (await messagesOf(response)).at(-1).result;
        return isError;
      };
      assertEquals(await call("echo", { text: "hello" }, "a"), false);
      assertEquals(
        [
          await call("sleep", { ms: 1 }, "a"),
          await call("sleep", { ms: 1 }, "b"),
          await call("sleep", { ms: 1 }),
        ],
        [false, true, true],
        "what one host was shown is no fact of another's",
      );
      const calls = [{ name: "sleep", arguments: { ms: 1 } }, { name: "whoami", arguments: {} }];
      assertEquals(await call("hoist_commit", { calls }, "a"), false);
    } finally {
      await Deno.remove(path);
    }
  },
);

Deno.test("hoist_commit passes progress on and checks each call with what came before", () =>
  echoing(["--commit"], async (session) => {
    const calls = [
      { name: "progress", arguments: { count: 2, text: "x" } },
      { name: "echo", arguments: { text: "hello" } },
      { name: "sleep", arguments: { ms: 1, text: "slept" } },
    ];
    const answers = await session.ask(
      toolCall(7, "hoist_commit", { calls }, { progressToken: "p" }),
    );
    const { content, isError } = answers.get(7).result;
    assertEquals([isError, content[0].text.split("\n").at(-1)], [false, "slept"]);
    const tokens = session.notified().filter(({ method }) => method === "notifications/progress")
      .map(({ params }) => params.progressToken);
    assertEquals(tokens, ["p", "p"]);
  }));

Deno.test("hoist_commit that is given up ends after the call that runs", () =>
  echoing(["--commit"], async (session) => {
    await session.call(1, "echo", { text: "hello" });
    const calls = [
      { name: "sleep", arguments: { ms: 400, text: "first" } },
      { name: "echo", arguments: { text: "second" } },
    ];
    await session.tell(toolCall(7, "hoist_commit", { calls }));
    await session.tell({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 7 },
    });
    await session.call(8, "sleep", { ms: 800 });
    const log = await session.end();
    const made = log.filter(({ from, message }) =>
      from === "proxy" && message.method === "tools/call"
    ).map(({ message }) => message.params.name);
    assertEquals(made, ["sleep"], "the second was not made");
    assertEquals(senders(log, 7), ["client"], "nobody is told of it");
    const cancels = log.filter(({ message }) => message?.method === "notifications/cancelled");
    assertEquals(cancels.map(({ from }) => from), ["client"], "what runs is not given up");
  }));

/** A flow that looks `sleep` up after `echo`, with what the echo says. */
async function sleepyFlow(): Promise<string> {
  const episode = (n: number): Episode => {
    const call = (id: string, name: string, args: JsonObject): RecordedEvent => ({
      kind: "assistant",
      text: null,
      calls: [{ id, name, arguments: args, by: "agent" }],
      usage: null,
    });
    const result = (id: string, name: string, content: string): RecordedEvent => ({
      kind: "tool_result",
      call_id: id,
      name,
      error: false,
      content,
    });
    const said = JSON.stringify({ ms: 700 + n, text: `t${n}` });
    const events = [
      call("1", "echo", { text: said }),
      result("1", "echo", said),
      call("2", "sleep", { ms: 700 + n }),
      result("2", "sleep", "slept"),
    ];
    const [id, model] = [`s${n}`, "m"];
    return linkEpisode({
      id,
      task_id: id,
      trial: 0,
      domain: "",
      agent_model: model,
      reward: 1,
      events,
    });
  };
  const flow = await learnFlow(sourceOf([1, 2, 3, 4].map((n) => episode(n))), {
    manifest: { domain: "", tools: { echo: "generic", sleep: "read" } },
    read,
    provenance: { hoist: "0.1.0", compiled_unix_ms: 0 },
  });
  return printFlow(flow);
}

Deno.test("a write is refused while a flow runs, and what the flow shows is a fact", async () => {
  const path = await Deno.makeTempFile({ suffix: ".flow.json" });
  try {
    await Deno.writeTextFile(path, await sleepyFlow());
    await echoing(["--flow", path, "--flow-threshold", "0.1"], async (session) => {
      await session.ask({ jsonrpc: "2.0", id: "l", method: "tools/list" });
      assertEquals((await session.call(6, "whoami", {})).isError, true);
      const held = session.ask(toolCall(7, "echo", { text: '{"ms":705,"text":"hello"}' }));
      const order: unknown[] = [];
      const noted = held.then((answers) => (order.push(7), answers));
      while (!session.isUnderWay("sleep")) await new Promise((resolve) => setTimeout(resolve, 20));
      const refused = await session.call(8, "echo", { text: "bad" });
      order.push(8);
      assertEquals(refused, { text: BAD_ECHO, isError: true });
      const { content } = (await noted).get(7).result;
      assertStringIncludes(content[1].text, 'sleep {"ms":705}:\nslept');
      assertEquals(order, [8, 7]);
      assertEquals((await session.call(9, "whoami", {})).isError, false);
    });
  } finally {
    await Deno.remove(path);
  }
});

Deno.test.each<{ why: string; flags: readonly string[]; says: string }>([
  {
    why: "a domain without rules",
    flags: ["--guards", "--domain", "parcels"],
    says: '--guards needs --domain airline or retail, not "parcels"',
  },
  {
    why: "no domain",
    flags: ["--guards"],
    says: "--guards needs --domain airline or retail; for others give --guard-rules FILE",
  },
  {
    why: "rules for nothing",
    flags: ["--guard-rules", "r.json"],
    says: "--guard-rules needs --guards",
  },
  {
    why: "a judge without rules",
    flags: ["--confirm-judge", "log"],
    says: "--confirm-judge needs --guards",
  },
  {
    why: "a judge without the conversation",
    flags: ["--guards", "--domain", "retail", "--confirm-judge", "log"],
    says: "--confirm-judge needs --context",
  },
  {
    why: "a shadow of nothing",
    flags: [
      ...["--guards", "--domain", "retail", "--context", "c", "--confirm-judge", "log"],
      "--confirm-second-shadow",
    ],
    says: "--confirm-second-shadow needs --confirm-second",
  },
  {
    why: "a threshold of nothing",
    flags: ["--confirm-threshold", "0.4"],
    says: "--confirm-threshold needs --confirm-judge",
  },
  {
    why: "a judge that is neither",
    flags: ["--guards", "--domain", "retail", "--context", "c", "--confirm-judge", "warn"],
    says: '--confirm-judge takes log, enforce, not "warn"',
  },
  {
    why: "an oracle that nobody asks",
    flags: ["--commit", "--oracle", "mock"],
    says: "--oracle needs --flow, --guards or --confirm-judge",
  },
  {
    why: "an oracle for rules that ask nothing",
    flags: ["--guards", "--domain", "retail", "--oracle", "mock"],
    says: '--oracle: no rule of "retail" asks a question',
  },
  {
    why: "a rule file that is not there",
    flags: ["--guards", "--guard-rules", "/none/rules.json"],
    says: '--guard-rules "/none/rules.json": No such file',
  },
  {
    why: "a rule that is wrong",
    flags: ["--guards", "--guard-rules", "{dir}/wrong.yaml"],
    says: 'rule "a.b" at $.rules[0].refuse: Unknown variable: orders',
  },
  {
    why: "a judge of rules that check no confirmation",
    flags: [
      ...["--guards", "--guard-rules", "{dir}/echo.json", "--context", "c"],
      ...["--confirm-judge", "log", "--oracle", "mock"],
    ],
    says: 'ends in ".confirmed", which says what is confirmed',
  },
  {
    why: "a conversation that is a folder",
    flags: ["--context", "{dir}"],
    says: '"{dir}": it is a folder',
  },
])("hoist-mcp refuses $why at the start, with status 2", async ({ flags, says }) => {
  const dir = await Deno.makeTempDir({ prefix: "hoist-writes-" });
  try {
    await Deno.writeTextFile(`${dir}/echo.json`, ECHO_RULES);
    await Deno.writeTextFile(
      `${dir}/wrong.yaml`,
      "hoist_guards: 1\nrules:\n  - {id: a.b, for: [x], mode: log, refuse: orders, because: no}\n",
    );
    const [program = "", ...args] = executable("hoist-mcp");
    const inDir = (text: string) => text.replaceAll("{dir}", dir);
    const { code, stdout, stderr } = await new Deno.Command(program, {
      args: [...args, ...flags.map(inDir), "--", "no-such-server"],
      stdin: "null",
    }).output();
    assertEquals([code, stdout.length], [2, 0]);
    assertStringIncludes(new TextDecoder().decode(stderr), inDir(says));
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
