import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { replayOracle } from "../../oracle/replay.ts";
import { agreementQuestion } from "../../guard/judge/confirm_question.ts";
import { Asker } from "../../guard/judge/asker.ts";
import { ConfirmJudge } from "../../guard/judge/judge.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { mockOracle } from "../../oracle/mock.ts";
import type { AnswerEntry, AnswerStore, Oracle } from "../../oracle/oracle.ts";
import { cacheKey } from "../../oracle/question.ts";
import { confirmCommand } from "./confirm_command.ts";
import type { OracleDoor } from "../../ports/oracle_door.ts";
import type { FileStore } from "../../ports/files.ts";

const RULES = `{"hoist_guards": 1, "domain": "parcels", "rules": [
  {"id": "p.own", "for": ["hold_parcel"], "mode": "enforce", "refuse": "args.id == 'P-9'", "because": "no"},
  {"id": "p.confirmed", "for": ["hold_parcel"], "mode": "log", "needs": ["heard"],
   "refuse": "!reply.contains('yes')", "because": "no agreement"}]}`;

/** A run: what was said, then a hold of each parcel. */
function run(reward: number, reply: string, ...ids: readonly string[]) {
  const calls = ids.flatMap((id, i) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `${i}`, name: "hold_parcel", arguments: { id } }],
    },
    { role: "tool", id: `${i}`, content: "{}", error: false },
  ]);
  const said = { role: "assistant", content: "Shall I hold P-1?" };
  const greeting = { role: "assistant", content: "Hi!" };
  const messages = [
    greeting,
    said,
    ...(reply === "" ? [] : [{ role: "user", content: reply }]),
    ...calls,
  ];
  return { task_id: "0", trial: 0, reward_info: { reward }, messages };
}

const FILES: Readonly<Record<string, string>> = {
  "rules.json": RULES,
  "none.json": RULES.replace("p.confirmed", "p.sure"),
  "runs.json": JSON.stringify({
    info: { environment_info: { domain_name: "parcels" }, agent_info: { llm: "m" } },
    simulations: [
      run(1, "Yes please", "P-1"),
      run(1, "Which one?", "P-1", "P-9"),
      run(0, "yes, but P-2", "P-1"),
      run(1, "", "P-1"),
    ],
  }),
};
const RUNS = ["--results", "runs.json", "--guard-rules", "rules.json"] as const;

/** A model to whom a question mark or a condition is no agreement. */
const model = mockOracle((_, __, { state }) => ({
  type: "noul",
  noul: /\?|but/.test(String(state.customer_replied)) ? 0.1 : 0.9,
}));

function memory(): AnswerStore & { entries: Map<string, AnswerEntry> } {
  const entries = new Map<string, AnswerEntry>();
  return {
    entries,
    find: (key) => entries.get(key),
    put: (entry) => entries.set(entry.key, entry) !== undefined,
  };
}

async function confirm(args: readonly string[], store = memory()) {
  const [out, err]: [string[], string[]] = [[], []];
  const written: Record<string, string> = {};
  let asked = 0;
  const runtime: Runtime = {
    say: (line) => err.push(line),
    print: (text) => out.push(text),
    env: (name) => name === "HOME" ? "/h" : undefined,
    unixMs: () => 0,
    monotonicMs: () => 0,
    stdoutIsTerminal: false,
    pid: 1,
    parentPid: undefined,
  };
  const files: FileStore = {
    readText: (path) => {
      const text = FILES[path];
      return text === undefined ? Promise.reject(new Error(`no ${path}`)) : Promise.resolve(text);
    },
    replace: (path, text) => {
      written[path] = text;
      return Promise.resolve();
    },
    listLogs: () => Promise.resolve([]),
    readLog: () => Promise.reject(new Error("none")),
  };
  const live: Oracle = { ask: (request) => (asked++, model.ask(request)) };
  const door: OracleDoor = { openCache: () => store, openLive: () => Promise.resolve(live) };
  const status = await confirmCommand(args, runtime, { files, door });
  return { text: out.join("\n"), err: err.join("\n"), written, status, asked, store };
}

Deno.test("confirmCommand() asks, keeps the answers and reports by fate", async () => {
  const first = await confirm([...RUNS, "--oracle", "jev", "--json", "r.json"]);
  assertEquals([first.status, first.asked], [0, 3]);
  assertStringIncludes(first.text, "1 writes that a rule refuses first, 1 without a conversation");
  assertStringIncludes(
    first.text,
    "| accepted, successful | 1 of 2 (50.0 %) | 1 of 2 (50.0 %) | 0 | 0 of 2 (0.0 %) |",
  );
  assertStringIncludes(
    first.text,
    "| accepted, other | 0 of 1 (0.0 %) | 1 of 1 (100.0 %) | 1 | 0 of 1 (0.0 %) |",
  );
  assertMatch(
    first.text,
    /### The judge fails the write, .*\n\n- `.*` turn 2 .* p_yes 0\.10: `hold_parcel/,
  );
  const [numbers] = JSON.parse(first.written["r.json"] ?? "").domains;
  assertEquals(numbers.writes.accepted_in_failed, {
    writes: 1,
    word_list_fails: 0,
    judged: 1,
    judge_fails: 1,
    first_below: 1,
    second_below: 0,
    disagree: 1,
    proposal_check_flags: 0,
  });
  const second = await confirm([...RUNS], first.store);
  assertEquals([second.text, second.asked], [first.text, 0]);
});

Deno.test("confirmCommand() and the proxy's judge share answers", async () => {
  const { store } = await confirm([...RUNS, "--oracle", "jev"]);
  const judge = new ConfirmJudge({
    threshold: 0.5,
    isEnforced: true,
    asker: new Asker({ model: "jev-latest", known: replayOracle(store), maxQuestions: 0 }),
    monotonicMs: () => 0,
  });
  const said = { proposal: "Shall I hold P-1?", reply: "Which one?" };
  const write = { tool: "hold_parcel", arguments: { id: "P-1" }, ...said };
  const { entry } = await judge.judge(write, { wordList: false, otherChoices: [] });
  assertEquals([entry.p_yes, entry.enforced], [0.1, true]);
});

Deno.test("confirmCommand() asks the second question apart and counts it as told", async () => {
  const args = [...RUNS, "--oracle", "jev", "--second-question", "proposed"];
  const { text, asked, written } = await confirm([...args, "--oracle-dump", "d.jsonl"]);
  assertEquals(asked, 6);
  assertStringIncludes(text, "| by the first answer | by the second |");
  const dumped = (written["d.jsonl"] ?? "").trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(dumped.length, 6);
  assertEquals(dumped.every(({ key, request }) => key === cacheKey(request)), true);
  const write = { tool: "hold_parcel", arguments: { id: "P-1" } };
  const said = { proposal: "Shall I hold P-1?", reply: "Yes please" };
  assertEquals(dumped[0].request, agreementQuestion("jev-latest", { ...write, ...said }));
});

Deno.test("confirmCommand() judges nothing that the cache does not know", async () => {
  const { text, err, status, asked } = await confirm([...RUNS]);
  assertEquals([status, asked], [0, 0]);
  assertStringIncludes(err, "0 of 3 questions answered\n3 without an answer: miss");
  assertStringIncludes(text, "| accepted, successful | 1 of 2 (50.0 %) | - | 0 |");
});

Deno.test("confirmCommand() refuses before asking what could cost too much", async () => {
  const { err, status, asked, text } = await confirm([
    ...RUNS,
    "--oracle",
    "jev",
    "--oracle-budget",
    "0.0001",
  ]);
  assertEquals([status, asked, text], [1, 0, ""]);
  assertMatch(
    err,
    /3 questions are not in the cache and could cost up to \$0\.\d{4}, the budget is/,
  );
});

Deno.test.each<{ why: string; args: readonly string[]; status: number; says: string }>([
  {
    why: "another second question",
    args: [...RUNS, "--second-question", "x"],
    status: 2,
    says: '--second-question needs proposed or described, not "x"',
  },
  {
    why: "a shadow of nothing",
    args: [...RUNS, "--second-shadow"],
    status: 2,
    says: "--second-shadow needs --second-question",
  },
  {
    why: "a budget for the cache",
    args: [...RUNS, "--oracle-budget", "1"],
    status: 2,
    says: "--oracle-budget needs --oracle jev",
  },
  {
    why: "a threshold above 1",
    args: [...RUNS, "--threshold", "2"],
    status: 2,
    says: '--threshold needs a number, 0 to 1, not "2"',
  },
  {
    why: "rules that check no confirmation",
    args: ["--results", "runs.json", "--guard-rules", "none.json"],
    status: 1,
    says: 'no rule of none.json ends in ".confirmed"',
  },
])("confirmCommand() refuses $why", async ({ args, status, says }) => {
  const done = await confirm(args);
  assertEquals(done.status, status);
  assertStringIncludes(done.err, says);
});
