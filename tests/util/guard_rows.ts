/**
 * Rows of the guards' table tests: what a session has shown, a call, and what a
 * rule says of it.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { checkAnswer, checkCall } from "../../lib/guard/check.ts";
import { compileRules, type RuleSet } from "../../lib/guard/rules/compile_rules.ts";
import { Facts } from "../../lib/guard/facts.ts";
import { caseFor, questionOf, verdictFor } from "../../lib/guard/rules/rule.ts";
import type { RuleFile } from "../../lib/guard/rules/rule_file.ts";
import { mutants, survivors } from "./mutants.ts";

type Json = Readonly<Record<string, unknown>>;

/** Something that a session shows. */
export type Step = (facts: Facts) => void;

/** An accepted call with its result. */
export function did(tool: string, args: Json, result: unknown): Step {
  const content = typeof result === "string" ? result : JSON.stringify(result);
  return (facts) => facts.answered({ tool, arguments: args, error: false, content });
}

/** The customer's words. */
export function heard(text: string): Step {
  return (facts) => facts.heard(text);
}

/** The agent's words. */
export function spoke(text: string): Step {
  return (facts) => facts.spoke(text);
}

/** One row. */
export interface Row {
  readonly rule: string;
  readonly says: "allow" | "refuse" | "unknown";
  /** Why, in a few words. */
  readonly why: string;
  readonly shown: readonly Step[];
  readonly tool: string;
  readonly args: Json;
  /** The reason, when it refuses. */
  readonly reason?: string;
  readonly turn?: { readonly calls: number; readonly hasText: boolean };
  /** The answer, for rules that look at it. */
  readonly result?: unknown;
  /** Probability of yes, for rules that ask. */
  readonly yes?: number;
}

/** What the row's rule says under some rules, with its reason when it refuses. */
export function ruling(rules: RuleSet, row: Row): { says: string; reason?: string } {
  const facts = new Facts(rules);
  for (const step of row.shown) step(facts);
  assertEquals([...facts.faults], []);
  const call = {
    tool: row.tool,
    arguments: row.args,
    ...(row.turn === undefined ? {} : { turn: row.turn }),
  };
  const rulings = row.result === undefined
    ? checkCall(rules, call, facts)
    : checkAnswer(rules, { ...call, error: false, content: JSON.stringify(row.result) }, facts);
  const found = rulings.find(({ rule }) => rule.id === row.rule);
  if (found === undefined) return { says: "nothing" };
  const open = questionOf(found.verdict);
  const verdict = open === undefined ? found.verdict : verdictFor(open, row.yes);
  if (verdict.kind === "unknown") assertEquals(verdict.fault, undefined);
  return verdict.kind === "refuse"
    ? { says: verdict.kind, reason: verdict.reason }
    : { says: verdict.kind };
}

/** What the rows must add up to. */
export interface RowsOptions {
  /** Rules of which there is no such verdict: they can always decide, or never allow. */
  readonly never: Readonly<Record<string, readonly Row["says"][]>>;
}

/** Tests the rows, that they are complete, and that each condition and each source of facts matters. */
export function testRows(file: RuleFile, rows: readonly Row[], { never }: RowsOptions): void {
  const rules = compileRules(file, "rules");
  const policyOf = (id: string, tool: string) => {
    const rule = rules.rules.find((r) => r.id === id);
    return (rule === undefined ? undefined : caseFor(rule, tool))?.policy ?? "";
  };
  for (const row of rows) {
    const sentence = policyOf(row.rule, row.tool).split(":")[0];
    Deno.test(`${row.rule} (sentence ${sentence}): ${row.says} when ${row.why}`, () => {
      const { says, reason } = ruling(rules, row);
      assertEquals(says, row.says);
      if (row.reason !== undefined) assertEquals(reason, row.reason);
    });
  }

  Deno.test(`every ${file.domain} rule has a row that allows, refuses and abstains`, () => {
    const missing = rules.rules.flatMap(({ id }) =>
      (["allow", "refuse", "unknown"] as const).filter((says) =>
        rows.some((r) => r.rule === id && r.says === says) === (never[id] ?? []).includes(says)
      ).map((says) => `${id}: ${says}`)
    );
    assertEquals(missing, []);
    assert(file.rules.every(({ policy }) => policy !== undefined));
  });

  Deno.test(`a sample of changes to the ${file.domain} rules' conditions fails a row each`, () => {
    // Every condition negated whole, and a third of the rest; tests/util/mutate_guards.ts tries all.
    const tried = mutants(file).filter(({ what }, i) =>
      what.includes("refuse negated") || i % 3 === 0
    );
    assert(tried.length > file.rules.length, "a sample");
    assertEquals(survivors(tried, rows), []);
  });

  Deno.test(`every source of a ${file.domain} table matters to a row`, () => {
    const said = rows.map((row) => ruling(rules, row).says);
    const idle = Object.entries(file.tables ?? {}).flatMap(([name, table]) =>
      table.fill.flatMap((fill, i) =>
        fill.tools.filter((tool) => {
          const tools = fill.tools.map((t) => t === tool ? "no such tool" : t);
          const cut = { ...table, fill: table.fill.map((f, j) => j === i ? { ...f, tools } : f) };
          const mutant = compileRules(
            { ...file, tables: { ...file.tables, [name]: cut } },
            "mutant",
          );
          return rows.every((row, k) => ruling(mutant, row).says === said[k]);
        }).map((tool) => `${name}: ${tool}`)
      )
    );
    assertEquals(idle, []);
  });
}
