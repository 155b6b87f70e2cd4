import { assertEquals } from "@std/assert";
import type { Caller } from "../../trace/calls.ts";
import { linkEpisode } from "../../trace/episode.ts";
import type { RecordedEvent } from "../../trace/recorded_episode.ts";
import { guardJson, guardMarkdown } from "./guard_report.ts";
import { refusalText } from "../check.ts";
import { parseLog } from "../../log/parse_log.ts";
import { episode as episodeOfLog } from "../../trace/log_episode.ts";
import { GuardTally } from "./guard_tally.ts";
import { openGuardRules } from "../rules/open_rules.ts";
import { checkEpisode } from "./check_episode.ts";

const RULES = await openGuardRules(
  `
hoist_guards: 1
tables: {seen: {fill: [{tools: [get, put], key: args.id}]}}
rules:
- {id: r.seen, for: [put], mode: enforce, refuse: "!(args.id in seen)", because: "{args.id} was not read"}
- {id: r.alone, for: ["*"], mode: log, refuse: "turn.calls > 1.0 || turn.has_text", because: one at a time}
- {id: r.own, for: [get], at: answer, mode: log, refuse: result != "mine", because: it is another's}
- {id: r.broken, for: [put], mode: log, refuse: "args.id + 1 == 2", because: no}
- {id: r.idle, for: [other], mode: enforce, refuse: "true", because: no}
`,
  "r.yaml",
);

type Made = readonly [id: string, name: string, arg: string, by?: Caller];

function calls(text: string | null, ...made: readonly Made[]): RecordedEvent {
  const list = made.map(([id, name, arg, by = "agent"]) => ({
    id,
    name,
    arguments: { id: arg },
    by,
  }));
  return { kind: "assistant", text, calls: list, usage: null };
}
function answered(id: string, content = "mine", error = false): RecordedEvent {
  return { kind: "tool_result", call_id: id, name: "", error, content };
}
function episode(events: readonly RecordedEvent[], reward = 1) {
  const episode = { id: "s", task_id: "t", trial: 0, domain: "", agent_model: "m", reward, events };
  return linkEpisode(episode);
}

/** What a rule said of each call it is for. */
function verdicts(rule: string, ...events: readonly RecordedEvent[]): string[] {
  return checkEpisode(RULES, episode(events)).calls.flatMap(({ call, rulings }) =>
    rulings.filter((r) => r.rule.id === rule).map((r) => `${call.id} ${r.verdict.kind}`)
  );
}

Deno.test("checkEpisode() checks calls of one turn with what was answered when they were sent", () => {
  const events = [calls(null, ["1", "get", "a"], ["2", "put", "a"]), answered("1"), answered("2")];
  assertEquals(verdicts("r.seen", ...events, calls(null, ["3", "put", "a"]), answered("3")), [
    "2 refuse",
    "3 allow",
  ]);
});

Deno.test("checkEpisode() checks the calls of a commit one after the other", () => {
  const events = [
    calls(null, ["1", "get", "a", "commit"], ["2", "put", "a", "commit"]),
    answered("1"),
    answered("2"),
  ];
  assertEquals(verdicts("r.seen", ...events), ["2 allow"]);
});

Deno.test("checkEpisode() takes a flow's lookups for facts and checks none", () => {
  const events = [
    calls(null, ["f", "get", "a", "flow"]),
    answered("f"),
    calls(null, ["2", "put", "a"]),
    answered("2"),
  ];
  assertEquals([verdicts("r.seen", ...events), verdicts("r.own", ...events)], [["2 allow"], []]);
});

Deno.test("checkEpisode() knows tools of several servers by their own names", () => {
  const events = [
    calls(null, ["1", "shop::get", "a"]),
    answered("1"),
    calls(null, ["2", "shop::put", "a"]),
    answered("2"),
  ];
  assertEquals(verdicts("r.seen", ...events), ["2 allow"]);
});

Deno.test("checkEpisode() gives each server of a merged session facts of its own, as its proxy has", () => {
  const events = [
    calls(null, ["1", "shop::get", "a"]),
    answered("1"),
    calls(null, ["2", "bank::put", "a"]),
    answered("2"),
  ];
  assertEquals(verdicts("r.seen", ...events), ["2 refuse"]);
});

Deno.test("checkEpisode() looks at answers and turns", () => {
  const events = [
    calls("Well:", ["1", "get", "a"]),
    answered("1", "theirs"),
    calls(null, ["2", "get", "b"]),
    answered("2"),
  ];
  assertEquals(verdicts("r.own", ...events), ["1 refuse", "2 allow"]);
  assertEquals(verdicts("r.alone", ...events), ["1 refuse", "2 allow"]);
});

Deno.test("GuardTally counts a call by how it ended and a session once", () => {
  const tally = new GuardTally(RULES);
  const put = (
    id: string,
    error = false,
  ) => [calls(null, [id, "put", id]), answered(id, "x", error)];
  tally.add(
    checkEpisode(
      RULES,
      episode([...put("1"), ...put("2"), ...put("3", true), calls(null, ["4", "put", "z"])]),
    ),
  );
  tally.add(checkEpisode(RULES, episode(put("1"), 0.5)));
  const [seen] = tally.rules;
  assertEquals(seen?.counts, {
    successful: { allow: 0, refuse: 2, unknown: 0 },
    failed: { allow: 0, refuse: 1, unknown: 0 },
    refusedByTool: { allow: 0, refuse: 1, unknown: 0 },
  });
  assertEquals(seen?.sessions, { successful: 1, failed: 1 });
  assertEquals([tally.stopped, tally.sessions], [{ successful: 1, failed: 1 }, {
    successful: 1,
    failed: 1,
  }]);
  assertEquals([tally.guarded, tally.caughtFirst], [
    { successful: 2, failed: 1, refusedByTool: 1 },
    1,
  ]);
  assertEquals(tally.wrongRefusals.map((e) => [e.tool, e.turn, e.rules, e.reason]), [
    ["put", 1, "r.seen", "1 was not read"],
    ["put", 2, "r.seen", "2 was not read"],
  ]);
  assertEquals([...tally.faults], [['rule "r.broken": no such overload: dyn<string> + int', 4]]);
});

Deno.test("guardMarkdown() names rules that never decided and faults; guardJson() has all numbers", () => {
  const tally = new GuardTally(RULES);
  tally.add(checkEpisode(RULES, episode([calls(null, ["1", "put", "a`b"]), answered("1")])));
  const sections = [{ domain: "d", rules: "r.yaml", tally }];
  const text = guardMarkdown(sections);
  const ending = text.slice(text.indexOf("### Worth a look"));
  assertEquals(
    ending,
    "### Worth a look\n\n- These rules never decided: r.own, r.broken, r.idle.\n" +
      '- Counted as unknown 1 times: rule "r.broken": no such overload: dyn<string> + int.',
  );
  assertEquals(text.includes(`\`put {"id":"a'b"}\`: a\`b was not read (r.seen)`), true);
  const json: { domains: { rules: { id: string }[] }[] } = JSON.parse(
    JSON.stringify(guardJson(sections)),
  );
  assertEquals(json.domains[0]?.rules.map(({ id }) => id), [
    "r.seen",
    "r.alone",
    "r.own",
    "r.broken",
    "r.idle",
  ]);
});

Deno.test("checkEpisode() refuses ambiguous arguments of a session log, and learns no fact from them", () => {
  const call = (id: number, name: string, args: string) =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`;
  const done = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}`;
  const lines = [
    ["client", call(1, "get", '{"id":"b","id":"a"}')],
    ["server", done(1)],
    ["client", `[${call(2, "put", '{"id":"a"}')}]`],
    ["server", done(2)],
    ["client", call(3, "get", '{"id":"a"}')],
    ["server", done(3)],
    ["client", `[${call(4, "put", '{"id":"a"}')},${call(5, "put", '{"id":"a","ID":"b"}')}]`],
  ].map(([from, line], i) => `{"t_ms":${i},"from":"${from}","message":${line}}\n`).join("");
  const head = {
    hoist_mcp_log: 2,
    session: "s",
    started_unix_ms: 0,
    server_command: ["s"],
    domain: null,
    agent_model: null,
  };
  const log = parseLog(`${JSON.stringify(head)}\n${lines}`);
  const checked = checkEpisode(RULES, episodeOfLog(log)).calls;
  assertEquals(
    checked.map((
      { call, rulings },
    ) => [
      call.id,
      refusalText(call.name, rulings)?.includes("was not read"),
      refusalText(call.name, rulings)?.includes('"id" and "ID"'),
    ]),
    [["1", undefined, undefined], ["2", true, false], ["3", undefined, undefined], [
      "4",
      undefined,
      undefined,
    ], ["5", false, true]],
  );
});
