/** `hoist guards` on a session log gives the verdicts that the live guard gave. */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { refusalText } from "../lib/guard/check.ts";
import { checkEpisode } from "../lib/guard/report/check_episode.ts";
import { openGuardRules } from "../lib/guard/rules/open_rules.ts";
import { contextInterceptor } from "../lib/intercept/context/context.ts";
import { GuardInterceptor } from "../lib/intercept/guard/guard.ts";
import type { LineSource } from "../lib/log/log.ts";
import { episode } from "../lib/trace/log_episode.ts";
import { ChainRig, settled } from "./util/chain_rig.ts";
import { type ScriptLine, scriptLog } from "./util/script_log.ts";

const RULES = await openGuardRules(
  `
hoist_guards: 1
tables:
  seen: {fill: [{tools: [get], key: args.id}, {tools: [list], each: result, key: it}], clear: [put]}
rules:
- {id: r.seen, for: [put], mode: enforce, refuse: "!(args.id in seen)", because: "{args.id} was not read"}
- {id: r.shown, for: [put], mode: enforce, refuse: "!shown('n-' + args.id)", because: not shown}
- {id: r.agreed, for: [put], mode: enforce, needs: [heard], refuse: "reply != 'yes'", because: "reply {reply}, proposal {proposal}"}
- {id: r.alone, for: ["*"], mode: enforce, refuse: "turn.calls > 2.0", because: "{turn.calls} calls"}
- {id: r.silent, for: [list], mode: enforce, refuse: turn.has_text, because: text}
`,
  "r.yaml",
);

type Step =
  | { readonly do: "say"; readonly role: "user" | "assistant"; readonly text: string }
  | {
    readonly do: "call";
    readonly tool: string;
    readonly id: string;
    readonly isAmbiguous?: boolean;
  }
  | { readonly do: "answer" | "cancel"; readonly which: number; readonly error: boolean }
  | { readonly do: "wait"; readonly ms: number };

/** Plays a session live; the refusal of each call, and the session's log. */
async function play(script: readonly Step[]) {
  const said: Step[] = [];
  const poll = () =>
    said.splice(0).flatMap((step) => {
      if (step.do !== "say") return [];
      const { role, text } = step;
      return [{
        role,
        text,
        line: new TextEncoder().encode(JSON.stringify({ role, content: text })),
      }];
    });
  const guards = new GuardInterceptor(RULES, {
    monotonicMs: () => 0,
    confirmLog: () => {},
    say: (line) => assertEquals(line, ""),
  });
  const rig = new ChainRig(null, { guard: () => guards, context: contextInterceptor({ poll }) });
  const lines: ScriptLine[] = [];
  const open: { readonly id: number; readonly tool: string; readonly arg: string }[] = [];
  const refused = new Map<string, string | undefined>();
  let count = 0;
  for (const step of script) {
    if (step.do === "say") said.push(step);
    else if (step.do === "wait") await rig.tick(step.ms);
    else if (step.do === "call") {
      const id = ++count;
      const shown = rig.host.length;
      rig.call(id, step.tool, { id: step.id, ...(step.isAmbiguous ? { ID: "a" } : {}) });
      await settled();
      const answer = rig.host.slice(shown).map((line) => JSON.parse(line))
        .find((message) => message.id === id);
      refused.set(String(id), answer?.result.content[0].text);
      if (answer === undefined) open.push({ id, tool: step.tool, arg: step.id });
    } else {
      const [call] = open.splice(step.which % Math.max(1, open.length), 1);
      if (call === undefined) continue;
      if (step.do === "cancel") {
        const params = { requestId: call.id };
        rig.fromHost({ jsonrpc: "2.0", method: "notifications/cancelled", params });
      } else {
        const content = call.tool === "list" ? '["a","n-b"]' : `{"x":"n-${call.arg}"}`;
        rig.answer(call.id, content, step.error ? { isError: true } : {});
      }
      await settled();
    }
    for (const [from, line] of rig.log.slice(lines.length)) {
      lines.push([rig.now, from as LineSource, JSON.parse(line)]);
    }
  }
  return { refused, log: scriptLog(lines) };
}

function offline(log: ReturnType<typeof scriptLog>, sameTurnMs?: number) {
  const ep = episode(log, sameTurnMs === undefined ? {} : { sameTurnMs });
  return new Map(
    checkEpisode(RULES, ep).calls.map(({ call, rulings }) =>
      [call.id, refusalText(call.name, rulings)] as const
    ),
  );
}

const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant("say" as const),
    role: fc.constantFrom("user" as const, "assistant" as const),
    text: fc.constantFrom("yes", "no", "Shall I put a?", "n-c"),
  }),
  fc.record({
    do: fc.constant("call" as const),
    tool: fc.constantFrom("get", "put", "list"),
    id: fc.constantFrom("a", "b", "c"),
    isAmbiguous: fc.constantFrom(false, false, false, true),
  }),
  fc.record({
    do: fc.constantFrom("answer" as const, "answer" as const, "answer" as const, "cancel" as const),
    which: fc.nat(3),
    error: fc.boolean(),
  }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(0, 90, 600, 10_000) }),
);

Deno.test("hoist guards and the live guard refuse the same calls of any session", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { maxLength: 40 }), async (script) => {
      const { refused, log } = await play(script);
      assertEquals(offline(log), refused);
      assertEquals(offline(log, 0), refused, "--same-turn-ms changes no verdict");
    }),
  );
});

Deno.test("hoist guards judges a write 90 ms after a read with what the read showed", async () => {
  const { refused, log } = await play([
    { do: "call", tool: "get", id: "a" },
    { do: "answer", which: 0, error: false },
    { do: "wait", ms: 90 },
    { do: "call", tool: "put", id: "a" },
    { do: "answer", which: 0, error: false },
  ]);
  assertEquals([...refused], [["1", undefined], ["2", undefined]]);
  assertEquals([...offline(log)], [["1", undefined], ["2", undefined]]);
  assertEquals(episode(log).turns, 1);
});

Deno.test("an enforced guard refuses a call with a key twice in its arguments, before the server", async () => {
  const guards = new GuardInterceptor(RULES, {
    monotonicMs: () => 0,
    confirmLog: () => {},
    say: () => {},
  });
  const rig = new ChainRig(null, { guard: () => guards });
  const call = (id: number, args: string) =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"put","arguments":${args}}}`;
  rig.call(1, "get", { id: "a" });
  rig.answer(1, '"n-a"');
  rig.fromHost(call(2, '{"id":"b","id":"a"}'), call(3, '{"id":"a"}'));
  await settled();
  const [refused] = rig.host.map((line) => JSON.parse(line)).filter(({ id }) => id === 2);
  assertEquals(
    refused.result.content[0].text,
    "Refused by the policy check, so put was not run and nothing changed: its arguments have the " +
      'key "id" twice, which servers read in different ways (policy check r.seen, r.shown).',
  );
  assertEquals(rig.server.map((line) => JSON.parse(line).id), [1, 3]);
});
