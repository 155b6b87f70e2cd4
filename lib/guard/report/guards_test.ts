import { assertEquals, assertRejects } from "@std/assert";
import { readLog } from "../../disk/read_log.ts";
import { episode } from "../../trace/log_episode.ts";
import { Guards } from "./guards.ts";

const RULES = JSON.stringify({
  hoist_guards: 1,
  rules: [
    { id: "never", for: ["find_sender"], refuse: "true", because: "it is closed", mode: "enforce" },
    { id: "shown", for: ["get_sender"], refuse: "false", because: "no", mode: "log" },
  ],
});

Deno.test("Guards.check() gives the verdict of each rule for a planned call", async () => {
  const guards = await Guards.parse(RULES);
  const ep = episode(await readLog("testdata/sessions/v2/parcels.jsonl"));
  assertEquals(guards.rules, ["never", "shown"]);
  assertEquals(guards.check({ name: "find_sender", arguments: {} }, ep), [
    { rule: "never", verdict: "refuse", reason: "it is closed", isEnforced: true },
  ]);
  assertEquals(guards.check({ name: "other", arguments: {} }, ep), []);
});

Deno.test("Guards.checkEpisode() checks the agent's calls, and no lookups", async () => {
  const guards = await Guards.parse(RULES);
  const ep = episode(await readLog("testdata/served/20261112T081503.077Z-911.jsonl"));
  const checked = guards.checkEpisode(ep);
  assertEquals(checked.map(({ call }) => call.by), checked.map(() => "agent"));
  assertEquals(checked[0]?.verdicts[0]?.verdict, "refuse");
});

Deno.test("Guards.parse() names the place of a fault", async () => {
  await assertRejects(() => Guards.parse("{", "my.json"), Error, '"my.json"');
});
