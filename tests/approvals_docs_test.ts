/** docs/approvals.md prints the rule file that is tested, which does what the page says. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { checkCall, refusalText, wantedApprovals } from "../lib/guard/check.ts";
import { Facts } from "../lib/guard/facts.ts";
import { openGuardRules } from "../lib/guard/rules/open_rules.ts";
import { ROOT } from "./util/executables.ts";

const FILE = "testdata/guards/approve.yaml";
const PROJECT = "/home/me/project";
const text = await Deno.readTextFile(`${ROOT}/${FILE}`);

Deno.test("docs/approvals.md prints the rule file", async () => {
  assertStringIncludes(
    await Deno.readTextFile(`${ROOT}/docs/approvals.md`),
    `\`\`\`yaml\n${text}\`\`\``,
  );
});

Deno.test.each<{ tool: string; args: Record<string, string>; comes: string }>([
  { tool: "delete_file", args: { path: `${PROJECT}/plan.md` }, comes: "files.delete_asked" },
  { tool: "delete_file", args: { path: `${PROJECT}/scratch/a` }, comes: "pass" },
  { tool: "delete_file", args: { path: `${PROJECT}/scratch/../a` }, comes: "files.delete_asked" },
  { tool: "move_file", args: { source: `${PROJECT}/a` }, comes: "files.delete_asked" },
  { tool: "delete_file", args: { path: "/etc/passwd" }, comes: "refuse" },
  { tool: "delete_file", args: {}, comes: "files.delete_asked" },
  { tool: "write_file", args: { path: `${PROJECT}/.env` }, comes: "pass" },
])("the rules of docs/approvals.md on $tool $args", async ({ tool, args, comes }) => {
  const rules = await openGuardRules(text, FILE);
  const rulings = checkCall(rules, { tool, arguments: args }, new Facts(rules));
  const asked = wantedApprovals(rulings).map(({ rule }) => rule).join();
  assertEquals(refusalText(tool, rulings) === undefined ? asked || "pass" : "refuse", comes);
});
