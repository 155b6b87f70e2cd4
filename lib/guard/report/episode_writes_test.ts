import { assertEquals } from "@std/assert";
import type { Episode, EpisodeCall, EpisodeEvent } from "../../trace/episode.ts";
import { compileRules } from "../rules/compile_rules.ts";
import { checkRuleFile } from "../rules/rule_file.ts";
import { episodeWrites } from "./episode_writes.ts";

const RULES = compileRules(
  checkRuleFile({
    hoist_guards: 1,
    tables: { known: { fill: [{ tools: ["list_parcels"], each: "result", key: "it" }] } },
    rules: [
      {
        id: "p.known",
        for: ["hold"],
        mode: "enforce",
        refuse: "!(args.id in known)",
        because: "no",
      },
      {
        id: "p.confirmed",
        for: ["hold"],
        mode: "log",
        needs: ["heard"],
        refuse: "!reply.contains('yes')",
        because: "no",
      },
    ],
  }, "rules"),
  "rules",
);

let id = 0;
function call(tool: string, args: EpisodeCall["arguments"], more: Partial<EpisodeCall> = {}) {
  const answer = { error: false, content: '["P-1","P-2"]' };
  return {
    id: `${id++}`,
    name: tool,
    arguments: args,
    by: "agent",
    turn: 0,
    answer,
    ...more,
  } as const;
}
function sent(...calls: readonly EpisodeCall[]): EpisodeEvent[] {
  return [
    { kind: "assistant", calls, turn: 0, text: null, usage: null },
    ...calls.flatMap((made): EpisodeEvent[] =>
      made.answer === undefined ? [] : [{
        kind: "tool_result",
        call_id: made.id,
        name: made.name,
        ...made.answer,
        call: made,
        isLast: true,
        isWhole: true,
      }]
    ),
  ];
}
function walk(...events: readonly EpisodeEvent[]) {
  const episode: Episode = {
    id: "s",
    task_id: "t",
    trial: 0,
    domain: "",
    agent_model: "a",
    reward: 1,
    calls: [],
    turns: 1,
    events,
  };
  const { writes, guarded, unheard } = episodeWrites(RULES, episode);
  return {
    guarded,
    unheard,
    writes: writes.map(({ write, wordList }) => ({ ...write, wordList })),
  };
}
const LIST = sent(call("list_parcels", {}));
const ASK: EpisodeEvent = {
  kind: "assistant",
  turn: 0,
  text: "Hold P-1?",
  calls: [],
  usage: null,
};
const YES: EpisodeEvent = { kind: "user", text: "Oh YES" };
const SAID = { proposal: "Hold P-1?", reply: "Oh YES" };

Deno.test("episodeWrites() sees what was said before the write, as it was written", () => {
  const hold = call("shop::hold", { id: "P-1" });
  assertEquals(walk(...sent(call("shop::list_parcels", {})), ASK, YES, ...sent(hold)).writes, [
    { tool: "hold", arguments: { id: "P-1" }, ...SAID, wordList: true },
  ]);
});

Deno.test("episodeWrites() leaves out what a rule refuses, what nobody answered and what nobody heard", () => {
  const hold = () => call("hold", { id: "P-1" });
  assertEquals(walk(ASK, YES, ...sent(hold())), { guarded: 1, unheard: 0, writes: [] });
  assertEquals(walk(...LIST, ASK, ...sent(hold())), { guarded: 0, unheard: 1, writes: [] });
  const open = call("hold", { id: "P-1" }, { answer: undefined });
  assertEquals(walk(...LIST, ASK, YES, ...sent(open)), { guarded: 0, unheard: 0, writes: [] });
});

Deno.test("episodeWrites() takes a commit's calls one after the other, and no flow's", () => {
  const list = call("list_parcels", {}, { by: "commit" });
  const hold = call("hold", { id: "P-2" }, { by: "commit" });
  const flow = call("hold", { id: "P-1" }, { by: "flow" });
  assertEquals(walk(ASK, YES, ...sent(list, hold), ...sent(flow)).writes, [
    { tool: "hold", arguments: { id: "P-2" }, ...SAID, wordList: true },
  ]);
});
