import { assertEquals, assertRejects } from "@std/assert";
import { openGuardRules } from "./open_rules.ts";
import { RulesError } from "./rule_file.ts";

const HEAD = "hoist_guards: 1\n";
const RULE = '- {id: a.b, for: [t], mode: enforce, refuse: "true", because: no}';
/** A file with one rule that has something more or other. */
const ruleWith = (more: string) =>
  `${HEAD}rules:\n- {id: a.b, for: [t], mode: enforce, because: no, ${more}}`;

Deno.test.each<{ why: string; text: string; message: string }>([
  {
    why: "is no YAML",
    text: "a: [",
    message: 'Cannot use rules "r.yaml": it is neither JSON nor YAML',
  },
  {
    why: "has no version",
    text: "rules: []",
    message: "it is not a rule file: it has no hoist_guards",
  },
  {
    why: "is of another version",
    text: "hoist_guards: 2",
    message: "its version is 2, this program reads version 1",
  },
  {
    why: "has no rules",
    text: `${HEAD}rules: []`,
    message: "$.rules: must have at least one rule",
  },
  {
    why: "has an unknown key",
    text: ruleWith("refuse: 'true', when: 'x'"),
    message: 'rule "a.b" at $.rules[0]: Unrecognized key: "when"',
  },
  {
    why: "has neither refuse nor ask",
    text: ruleWith("policy: x"),
    message: 'rule "a.b" at $.rules[0].refuse: needs either refuse, approve or ask',
  },
  {
    why: "enforces on an answer",
    text: ruleWith("refuse: 'true', at: answer"),
    message: 'rule "a.b" at $.rules[0].at: cannot be "answer"',
  },
  {
    why: "asks about an answer",
    text: ruleWith("at: answer, ask: {question: a, 'yes': b, 'no': c}").replace("enforce", "log"),
    message: 'rule "a.b" at $.rules[0].ask: cannot stand beside at "answer"',
  },
  {
    why: "does not parse",
    text: ruleWith("refuse: 'args.x ='"),
    message: 'rule "a.b" at $.rules[0].refuse: ',
  },
  {
    why: "names what is not declared",
    text: ruleWith("refuse: 'orders.x'"),
    message: 'rule "a.b" at $.rules[0].refuse: Unknown variable: orders',
  },
  {
    why: "calls what there is not",
    text: ruleWith("refuse: 'fetch(args.x)'"),
    message: 'rule "a.b" at $.rules[0].refuse: found no matching overload',
  },
  {
    why: "cannot be true or false",
    text: ruleWith("refuse: '\"yes\"'"),
    message: 'rule "a.b" at $.rules[0].refuse: is a string, not a bool',
  },
  {
    why: "needs what is wrong",
    text: ruleWith("refuse: 'true', needs: ['heard', 'heart']"),
    message: 'rule "a.b" at $.rules[0].needs[1]: Unknown variable: heart',
  },
  {
    why: "has a wrong reason",
    text: `${HEAD}rules:\n- {id: a.b, for: [t], mode: log, refuse: 'true', because: "so {arg.x}"}`,
    message: 'rule "a.b" at $.rules[0].because: Unknown variable: arg',
  },
  {
    why: "names no group",
    text: `${HEAD}rules:\n- {id: a.b, for: ["@write"], mode: log, refuse: 'true', because: no}`,
    message: 'rule "a.b" at $.rules[0].for: there is no group "write"',
  },
  {
    why: "has two rules for one tool",
    text: `${HEAD}rules:\n${RULE}\n${RULE}`,
    message: 'rule "a.b" at $.rules[1].for: another rule of that id is for "t" already',
  },
  {
    why: "takes a name twice",
    text: `${HEAD}tables: {args: {fill: [{tools: [t], key: text}]}}\nrules:\n${RULE}`,
    message: '$.tables.args: the name "args" is taken',
  },
  {
    why: "takes a word of the language",
    text: `${HEAD}constants: {in: 1}\nrules:\n${RULE}`,
    message: '$.constants.in: the name "in" is taken',
  },
  {
    why: "has a table that is wrong",
    text: `${HEAD}tables: {seen: {fill: [{tools: [t], key: reslt.id}]}}\nrules:\n${RULE}`,
    message: "$.tables.seen.fill[0].key: Unknown variable: reslt",
  },
  {
    why: "uses a later let",
    text: `${HEAD}let: {a: b, b: args.x}\nrules:\n${RULE}`,
    message: "$.let.a: Unknown variable: b",
  },
])("openGuardRules() refuses a file that $why", async ({ text, message }) => {
  const error = await assertRejects(() => openGuardRules(text, "r.yaml"), RulesError);
  assertEquals(error.message.includes(message), true, error.message);
  assertEquals(error.message.startsWith('Cannot use rules "r.yaml": '), true, error.message);
});

Deno.test("openGuardRules() joins two rules of one id that are for other tools", async () => {
  const rules = await openGuardRules(
    `${HEAD}rules:\n${RULE}\n${RULE.replace("[t]", "[u]")}`,
    "r.yaml",
  );
  assertEquals(rules.rules.map(({ id, cases }) => [id, cases.length]), [["a.b", 2]]);
});
