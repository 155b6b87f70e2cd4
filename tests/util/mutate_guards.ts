/**
 * Tries every mutant of the shipped rule files against the rows of their table tests, and
 * names those that survive. `deno run -A tests/util/mutate_guards.ts`
 *
 * @module
 */

import { ROWS as airline } from "../../lib/guard/airline_rules_test.ts";
import { ROWS as retail } from "../../lib/guard/retail_rules_test.ts";
import { checkRuleFile } from "../../lib/guard/rules/rule_file.ts";
import { mutants, survivors } from "./mutants.ts";

let alive = 0;
for (const [domain, rows] of Object.entries({ retail, airline })) {
  const path = new URL(`../../lib/guard/rules/${domain}_rules.json`, import.meta.url);
  const file = checkRuleFile(JSON.parse(await Deno.readTextFile(path)), path.pathname);
  const tried = mutants(file);
  const left = survivors(tried, rows);
  console.log(`${domain}: ${tried.length} mutants, ${left.length} survive`);
  for (const what of left) console.log(`  ${what}`);
  alive += left.length;
}
Deno.exit(alive === 0 ? 0 : 1);
