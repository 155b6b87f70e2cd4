/** docs/guards.md does what it says: its rule file, its table of calls, its refusal, its error. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { checkCall, refusalText } from "../lib/guard/check.ts";
import { Facts } from "../lib/guard/facts.ts";
import { openGuardRules } from "../lib/guard/rules/open_rules.ts";
import { shippedRules } from "../lib/guard/rules/shipped_rules.ts";
import { ROOT } from "./util/executables.ts";

const FILE = "testdata/guards/files.yaml";
const page = await Deno.readTextFile(`${ROOT}/docs/guards.md`);
const file = await Deno.readTextFile(`${ROOT}/${FILE}`);
const blocks = [...page.matchAll(/```(\w*)\n([^]*?)```/g)].map(([, kind, text = ""]) => ({
  kind,
  text,
}));

async function session() {
  const rules = await openGuardRules(file, FILE);
  const facts = new Facts(rules);
  const project = { path: "/home/me/project" };
  const listing = "[FILE] notes.md\n[FILE] plan.md\n[DIR] scratch";
  facts.answered({ tool: "list_directory", arguments: project, error: false, content: listing });
  const notes = { path: "/home/me/project/notes.md" };
  facts.answered({ tool: "read_text_file", arguments: notes, error: false, content: "# Notes" });
  return (tool: string, args: string) =>
    checkCall(rules, { tool, arguments: JSON.parse(args) }, facts).filter(({ rule }) =>
      rule.isEnforced
    );
}

Deno.test("docs/guards.md prints the rule file that is tested, and pieces that are rules", async () => {
  const yaml = blocks.filter(({ kind }) => kind === "yaml").map(({ text }) => text);
  assertEquals(yaml.length, 4);
  assertEquals(yaml[2], file);
  const whole = `hoist_guards: 1\n${yaml[1]}rules:\n${yaml[0]}`;
  assertEquals((await openGuardRules(whole, "pieces")).rules.map(({ id }) => id), [
    "files.delete_inside",
  ]);
  const asking = await openGuardRules(`hoist_guards: 1\nrules:\n${yaml[3]}`, "piece");
  const shipped = shippedRules("airline")?.rules.find(({ id }) => id === asking.rules[0]?.id);
  assertEquals(asking.rules[0]?.cases[0]?.ask, shipped?.cases[0]?.ask);
});

Deno.test("docs/guards.md says what the rules make of each call", async () => {
  const check = await session();
  const rows = [...page.matchAll(/^\| `(\w+) (\{.*\})` \| (\w+) \|$/gm)];
  assertEquals(rows.length, 7);
  for (const [, tool = "", args = "", says = ""] of rows) {
    assertEquals(check(tool, args).map(({ verdict }) => verdict.kind), [says], args);
  }
});

Deno.test("docs/guards.md prints the refusal and the error as they are", async () => {
  const check = await session();
  const rulings = check("delete_file", '{"path":"/home/me/project/scratch/../notes.md"}');
  const plain = blocks.filter(({ kind }) => kind === "").map(({ text }) => text.trim());
  assert(plain.includes(refusalText("delete_file", rulings) ?? "none"));
  const wrong =
    "hoist_guards: 1\nrules: [{id: a.b, for: [t], mode: log, refuse: orders.x, because: no}]";
  const error = await assertRejects(() => openGuardRules(wrong, "r.yaml"), SyntaxError);
  assert(plain.includes(error.message));
});

Deno.test("docs/guards.md counts the shipped rules", () => {
  for (const domain of ["retail", "airline"]) {
    const rules = shippedRules(domain)?.rules ?? [];
    const enforced = rules.filter((rule) => rule.isEnforced).length;
    const pattern = new RegExp(
      `\`--domain ${domain}\` \\(${rules.length}(?: rules)?, ${enforced}(?: enforced)?\\)`,
    );
    assert(pattern.test(page.replaceAll("\n", " ")), `${domain}: ${rules.length}, ${enforced}`);
  }
});
