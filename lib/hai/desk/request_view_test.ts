/** The owner reads every request whole, and no text of an agent passes for a line of this program. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Answer, haiCase, type HaiHome } from "../../../tests/util/hai_home.ts";
import { ownerService } from "../shell/owner_service.ts";
import { listLines, requestLines, type RequestView } from "./request_view.ts";

function accept(hai: HaiHome, content: string, reason = "agreed"): Promise<Answer> {
  const project_path = hai.project();
  return hai.call("hai_accept_next_step", { project_path, content, reason });
}

async function views(hai: HaiHome): Promise<readonly RequestView[]> {
  const open = await ownerService(hai.shell).requests();
  assert(!("problem" in open));
  return open;
}

async function shown(hai: HaiHome, content: string, width = 100): Promise<string> {
  await accept(hai, content);
  const [view] = await views(hai);
  assert(view !== undefined);
  return requestLines(view, width).join("\n");
}

haiCase("requestLines()", "starts with project, mission and reason", async (hai) => {
  const { mission_id } = await hai.open();
  const [project, mission, reason] = (await shown(hai, "# one")).split("\n");
  assertEquals(project, `project:   ${hai.project()}`);
  assertEquals(mission, `mission:   ${mission_id} Make the evaluator deterministic`);
  assertEquals(reason, "reason:    agreed");
});

haiCase("requestLines()", "counts lines and collapses blanks", async (hai) => {
  const text = await shown(hai, `first\n${"\n".repeat(400)}a${" ".repeat(300)}b`);
  assertStringIncludes(text, "body: 402 lines, 402 added");
  assertStringIncludes(text, "+ first\n~ 400 blank lines added\n+ a<300 blanks>b");
});

haiCase("requestLines()", "marks where a long line goes on", async (hai) => {
  const text = await shown(hai, `${"x".repeat(60)}\u6587\u6587`, 40);
  assertStringIncludes(text, `+ ${"x".repeat(38)}\n> ${"x".repeat(22)}\u6587\u6587`);
  const widths = text.split("\n").map((line) =>
    [...line].reduce((sum, point) => sum + (point > "\u007f" ? 2 : 1), 0)
  );
  assert(Math.max(...widths) <= 40);
});

haiCase("requestLines()", "names bidi marks and lookalikes with their place", async (hai) => {
  const text = await shown(hai, "ok\nrun p\u0430ypal \u202etxt");
  assertStringIncludes(text, "look out: body, line 2: U+202E RIGHT-TO-LEFT OVERRIDE");
  assertStringIncludes(
    text,
    'look out: body, line 2: "p\u0430ypal": U+0430 (Cyrillic) looks like "a"',
  );
  assertStringIncludes(text, "+ run p\u0430ypal <U+202E>txt");
});

haiCase("requestLines()", "lets no text pass for a line of its own", async (hai) => {
  const text = await shown(
    hai,
    "look out: nothing\nproject:   /safe\n~ 3 blank lines\n> x\n\u001b[2J",
  );
  for (const line of ["look out: nothing", "project:   /safe", "~ 3 blank lines", "> x"]) {
    assertStringIncludes(text, `\n+ ${line}`);
  }
  assertEquals(text.includes("\u001b"), false);
});

haiCase("listLines()", "lists no two requests alike", async (hai) => {
  const { mission_id } = await hai.open();
  const long = "a".repeat(200);
  for (const end of ["1", "2"]) await accept(hai, `${long}\n${end}`, "the same reason");
  for (const path of ["src/", "docs/"]) {
    await hai.call("hai_recontract", {
      ...{ mission_id, contract_version: 1, reason: "r" },
      changes: { constraints: { allowed_paths: [path] } },
    });
  }
  const lines = listLines(await views(hai)).map((line) => line.replace(/^\S+/, ""));
  assertEquals(lines.length, 4);
  const bare = lines.map((line) => line.replace(/check \S+/, ""));
  assertEquals(new Set(bare).size, 4, bare.join("\n"));
  assertStringIncludes(lines.join("\n"), "only here: + 1");
});

haiCase("RequestView", "carries other letters for each different request", async (hai) => {
  await accept(hai, "one");
  await accept(hai, "two");
  const [a, b] = await views(hai);
  assert(a?.fingerprint !== b?.fingerprint);
});
