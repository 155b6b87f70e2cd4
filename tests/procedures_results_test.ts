/**
 * A procedure learned from τ²-bench retail's training tasks, run on the test tasks: the
 * bound on wrong writes, and the figures that docs/results_procedures.md prints.
 *
 * The recordings stand beside the repository; without them this says so and skips.
 */

import { assert, assertStringIncludes } from "@std/assert";
import { ROOT } from "./util/executables.ts";
import { depthTable } from "../lib/procedure_learning/compile_report.ts";
import { inProcess, learnRetail, row, testRetail } from "./util/procedure_results.ts";

const DATA = `${ROOT}/../shared/data/tau2`;
const isThere = await Deno.stat(DATA).then(() => true, () => false);
if (!isThere) console.warn("skipped: the recordings are not at ../shared/data/tau2");

Deno.test({
  name:
    "a procedure learned on retail's training tasks makes at most 1 % wrong writes on the others",
  ignore: !isThere,
  fn: async () => {
    const page = await Deno.readTextFile(`${ROOT}/docs/results_procedures.md`);
    const data = await learnRetail(DATA);
    const { learned } = data;
    const counts = await testRetail(data, learned.file, inProcess(data));
    assert(counts.tasks === 40);
    assert(counts.wrongWrites <= 0.01 * counts.writes, `${counts.wrongWrites} of ${counts.writes}`);
    assertStringIncludes(page, depthTable(learned.tried).join("\n"));
    assertStringIncludes(page, row(false, counts));
  },
});
