/**
 * Mutants of a rule file: each rule's condition negated, and each part of it. A mutant that
 * no row of the table tests notices is a condition nobody tests. A `needs` left out is no
 * mutant: asking for what is not there makes a rule unknown as well.
 *
 * The table tests try a sample; tests/util/mutate_guards.ts tries all of them.
 *
 * @module
 */

import { compileRules } from "../../lib/guard/rules/compile_rules.ts";
import type { RuleEntry, RuleFile } from "../../lib/guard/rules/rule_file.ts";
import { type Row, ruling } from "./guard_rows.ts";

/** A rule file with one thing changed. */
export interface Mutant {
  /** What was changed, to be found in the file. */
  readonly what: string;
  readonly file: RuleFile;
  /** The rule whose rows must notice; undefined when those of any rule may. */
  readonly rule: string | undefined;
}

/**
 * Makes the mutants of a rule file.
 *
 * @param file The rule file.
 * @returns The mutants, in the order of the file. Some may not compile: they count as noticed.
 */
export function mutants(file: RuleFile): Mutant[] {
  const ofRules = file.rules.flatMap((entry, i) =>
    entryMutants(entry).map(({ what, entry: changed }): Mutant => ({
      what: `${entry.id} at ${i}: ${what}`,
      rule: entry.id,
      file: { ...file, rules: file.rules.map((r, j) => j === i ? changed : r) },
    }))
  );
  const ofLets = Object.entries(file.let ?? {}).flatMap(([name, text]) =>
    conditions(text).map(({ what, text: changed }): Mutant => ({
      what: `let ${name}: ${what}`,
      rule: undefined,
      file: { ...file, let: { ...file.let, [name]: changed } },
    }))
  );
  return [...ofRules, ...ofLets];
}

function entryMutants(entry: RuleEntry): { what: string; entry: RuleEntry }[] {
  const { refuse, needs = [], allows = [] } = entry;
  const ofRefuse = refuse === undefined ? [] : conditions(refuse).map(({ what, text }) => ({
    what: `refuse ${what}`,
    entry: { ...entry, refuse: text },
  }));
  const negated = (field: "needs" | "allows", list: readonly string[]) =>
    list.map((text, i) => ({
      what: `${field}[${i}] negated (${text})`,
      entry: { ...entry, [field]: list.map((t, j) => j === i ? `!(${t})` : t) },
    }));
  const without = allows.map((text, i) => ({
    what: `allows[${i}] left out (${text})`,
    entry: { ...entry, allows: allows.filter((_, j) => j !== i) },
  }));
  return [...ofRefuse, ...negated("needs", needs), ...negated("allows", allows), ...without];
}

/** A condition negated, and each of its parts joined by && or || negated. */
function conditions(text: string): { what: string; text: string }[] {
  const pieces = parts(text);
  const negated = { what: `negated (${text})`, text: `!(${text})` };
  if (pieces.length === 1) return [negated];
  return [
    negated,
    ...pieces.flatMap((piece, i) =>
      /^(?:&&|\|\|)$/.test(piece) ? [] : [{
        what: `part negated (${piece.trim()})`,
        text: pieces.map((p, j) => j === i ? ` !(${p}) ` : p).join(""),
      }]
    ),
  ];
}

/** A condition cut at its outermost && and ||, which are pieces of their own. */
function parts(text: string): string[] {
  const pieces = [""];
  let [depth, quote] = [0, ""];
  for (let i = 0; i < text.length; i++) {
    const c = text[i] ?? "";
    const two = text.slice(i, i + 2);
    if (quote !== "") quote = c === quote && text[i - 1] !== "\\" ? "" : quote;
    else if (c === '"' || c === "'") quote = c;
    else if ("([{".includes(c)) depth++;
    else if (")]}".includes(c)) depth--;
    else if (c === "?" && depth === 0) return [text]; // A choice: its parts are no conditions.
    else if (depth === 0 && (two === "&&" || two === "||")) {
      pieces.push(two, "");
      i++;
      continue;
    }
    pieces.push((pieces.pop() ?? "") + c);
  }
  return pieces;
}

/**
 * Finds the mutants that no row notices.
 *
 * @param tried The mutants.
 * @param rows The rows.
 * @returns What was changed in those that survive.
 */
export function survivors(tried: readonly Mutant[], rows: readonly Row[]): string[] {
  return tried.filter(({ file, rule }) => {
    let rules: ReturnType<typeof compileRules>;
    try {
      rules = compileRules(file, "mutant");
    } catch {
      return false; // Found when the file is read.
    }
    return rows.every((row) => (rule !== undefined && row.rule !== rule) || isSame(rules, row));
  }).map(({ what }) => what);
}

/** Whether a row still passes. */
function isSame(rules: ReturnType<typeof compileRules>, row: Row): boolean {
  try {
    const { says, reason } = ruling(rules, row);
    return says === row.says && (row.reason === undefined || reason === row.reason);
  } catch {
    return false; // Something is a fault that was none.
  }
}
