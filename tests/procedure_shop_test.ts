/**
 * A procedure learned from recorded sessions of a made-up shop, run on tickets that no session
 * had: the bound on wrong writes. `deno task shop` takes all tickets, and compares the figures with
 * those that docs/results_procedures.md prints; the tests take a part.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { at } from "../lib/json/json.ts";
import { ROOT } from "./util/executables.ts";
import { byProgram, COUNTS, FEW, inProcess, learnShop, shopRows } from "./util/plain_results.ts";

const IS_WHOLE = Deno.env.get("HOIST_WHOLE") === "1";

Deno.test("a procedure learned from a shop's sessions resolves plain tickets, and hands the others back", async () => {
  const page = await Deno.readTextFile(`${ROOT}/docs/results_procedures.md`);
  const dir = await Deno.makeTempDir();
  try {
    const learned = await learnShop(dir, IS_WHOLE ? COUNTS : FEW);
    const run = await inProcess(learned);
    const { test, unseen, twisted } = learned.tickets;
    for (const tickets of [test, unseen, twisted]) {
      const { rows } = await shopRows(tickets, learned, run);
      for (const row of IS_WHOLE ? rows : []) assertStringIncludes(page, row);
    }
    const { sum } = await shopRows(test, learned, run);
    assert(
      sum.wrongWrites <= 0.01 * sum.writes && sum.writes >= (IS_WHOLE ? 50 : 5),
      JSON.stringify(sum),
    );
    const counts = learned.report.slice(0, learned.report.indexOf("\n\nLeaves"));
    const lines = counts.split("\n").filter((one) => one.startsWith("|"));
    assert(lines.length > 2, counts);
    for (const line of IS_WHOLE ? lines : []) {
      assertStringIncludes(page, line);
    }
    const file = await Deno.readTextFile(learned.path);
    assert(
      !/#W\d|@example|\d{4}/.test(file.replace(/"training_tasks".*/, "")),
      "a customer's value",
    );

    const twice = Object.values(JSON.parse(file).trees).flatMap((
      tree,
    ) => [...askedTwice(tree, [])]);
    assertEquals(twice, []);

    // The program takes the same steps: a ticket of each kind.
    const ofEachKind = [...new Map([...test, ...unseen].map((one) => [one.kind, one])).values()];
    for (const ticket of ofEachKind) {
      const [here, there] = [await run(ticket), await byProgram(learned)(ticket)];
      assertEquals(there, here);
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

/** Questions that a tree asks again below their own answer. */
function* askedTwice(node: unknown, asked: readonly unknown[]): Generator<unknown> {
  const feature = at(node, "feature");
  if (feature === undefined) return;
  if (asked.includes(feature)) yield feature;
  for (const side of ["yes", "no"]) yield* askedTwice(at(node, side), [...asked, feature]);
}
