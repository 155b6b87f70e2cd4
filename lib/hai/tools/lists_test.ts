/**
 * Sizes and names: lists that fit in an answer, arguments whose nearest name is told, non-goals that
 * are met by their words.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { assertRefused, haiCase } from "../../../tests/util/hai_home.ts";
import { CORE_TOOLS } from "./tool_listing.ts";
import { TOOLS } from "./tools.ts";

haiCase("hai_list_records", "large texts come in pages, cut, and all of them", async (hai) => {
  for (let i = 0; i < 30; i++) {
    const name = `park_20260901T0800${10 + i}_1_0000000a.md`;
    hai.write(`home/inbox/${name}`, `thought ${i} ${"a".repeat(100_000)}`);
  }
  const seen: string[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const page = await hai.call("hai_list_records", { kind: "inbox", limit: 200, cursor });
    assert(JSON.stringify(page).length < 300_000, "a page is small");
    assertEquals(page.total, 30);
    for (const { path, text } of page.records) {
      seen.push(path);
      assertStringIncludes(text, "[cut: ");
    }
    cursor = page.next_cursor;
    pages++;
  } while (cursor !== null);
  assertEquals([seen.length, new Set(seen).size, pages > 1], [30, 30, true]);
});

haiCase("hai_check_activity", "paths without end are outside, and not looked at", async (hai) => {
  const { session_id } = await hai.authorize((await hai.open()).mission_id);
  const check = { session_id, activity_step: "s", criterion_id: "dc-1" };
  const long = `src/${"a/".repeat(1500)}${"../b/".repeat(300)}x`;
  const many = Array.from({ length: 100 }, () => `src/${"a/../".repeat(200)}x`);
  for (const [affected_paths, why] of [[[long], "characters"], [many, "names together"]] as const) {
    const verdict = await hai.call("hai_check_activity", { ...check, affected_paths });
    assertEquals(verdict.required_action, "stop");
    assertStringIncludes(verdict.reason, why);
  }
});

haiCase("checkArgs()", "names the nearest argument, nested ones too", async (hai) => {
  const misspelt = { project_path: hai.project(), allowed_path: ["src"] };
  assertRefused(await hai.open({ constraints: misspelt }), "invalid_args", "mean allowed_paths?");
  const done_criteria = [{ id: "dc-1", descripton: "d" }];
  assertRefused(await hai.open({ done_criteria }), "invalid_args", "mean description?");
  assertRefused(await hai.call("hai_park", { txt: "t" }), "invalid_args", "mean text?");
});

haiCase("classify()", "a non-goal is met by the words of its subject", async (hai) => {
  const non_goals = ["Do not touch the MCP server.", "No new dependencies."];
  const { session_id } = await hai.authorize((await hai.open({ non_goals })).mission_id);
  const verdicts: unknown[] = [];
  for (
    const activity_step of [
      "touch the MCP server now",
      "add new dependencies",
      "restart the server",
      "replace the seed",
    ]
  ) {
    const check = { session_id, activity_step, criterion_id: "dc-1" };
    verdicts.push((await hai.call("hai_check_activity", check)).classification);
  }
  assertEquals(verdicts, ["park_candidate", "park_candidate", "in_scope", "in_scope"]);
  hai.restart({ HAI_NON_GOALS: "strict" });
  const check = { session_id, activity_step: "restart the server", criterion_id: "dc-1" };
  assertEquals((await hai.call("hai_check_activity", check)).required_action, "park");
});

Deno.test("CORE_TOOLS names tools that are there", () => {
  assertEquals([...CORE_TOOLS].filter((name) => !TOOLS.has(name)), []);
});
