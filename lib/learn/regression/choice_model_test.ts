import { assert, assertEquals, assertThrows } from "@std/assert";
import { flowQuestion } from "../../flow/deciding/flow_question.ts";
import { Transcript } from "../../flow/state/transcript.ts";
import { mockOracle } from "../../oracle/mock.ts";
import type { ArbiterCase } from "../arbiter_cases.ts";
import { type ChoiceCase, fitChoice, logLikelihood } from "./choice_model.ts";
import { fitArbiter } from "../fit_arbiter.ts";

/** Options that differ by one in the first feature; the better is taken `share` of 100 times. */
function cases(share: number): ChoiceCase[] {
  return Array.from({ length: 1000 }, (_, n) => ({
    rows: [[1, 3], [0, 3]],
    taken: n % 100 < share ? 0 : 1,
  }));
}

Deno.test("fitChoice() finds the log-odds, and gives nothing to what never differs", () => {
  const [weight = 0, none] = fitChoice(cases(75), 2);
  // The penalty of 1 on the standardised weight costs little against a thousand cases.
  assert(Math.abs(weight - Math.log(3)) < 0.03, String(weight));
  assertEquals(none, 0);
  assertEquals(fitChoice(cases(50), 2), [0, 0]);
  assertEquals(fitChoice([], 2), [0, 0]);
});

Deno.test("fitChoice() is where the penalised likelihood has no slope", () => {
  const [weight = 0] = fitChoice(cases(90), 2);
  const worth = (w: number) => logLikelihood(cases(90), [w, 0]) - (w * 0.5) ** 2 / 2;
  assert(worth(weight) > worth(weight + 1e-3) && worth(weight) > worth(weight - 1e-3));
});

function arbiterCase(fold: number, taken: number | undefined): ArbiterCase {
  const question = flowQuestion(["get"], new Transcript(), {
    model: "m",
    predicates: [],
    manifest: { domain: "d", tools: {} },
    feeds: new Map(),
  });
  assert(question !== undefined);
  return {
    fold,
    task: "t",
    episode: "e",
    site: "find",
    tool: "find",
    habit: [0.6],
    question,
    taken,
  };
}

Deno.test("a fold's fit does not change with the decisions of its own tasks", () => {
  const answer = (c: ArbiterCase) => mockOracle().find(c.question.request);
  const asking = { model: "m", predicates: [], weighed: [] };
  const fit = (own: number) =>
    fitArbiter(
      [0, 1, 2, 3, 4].flatMap((fold) =>
        Array.from({ length: 6 }, (_, n) => arbiterCase(fold, n < (fold === 2 ? own : 4) ? 0 : 1))
      ),
      answer,
      asking,
    );
  const [a, b] = [fit(0), fit(6)];
  assertEquals(a.arbiter.folds[2], b.arbiter.folds[2]);
  assert(JSON.stringify(a.arbiter.folds[1]) !== JSON.stringify(b.arbiter.folds[1]));
  assertEquals([a.cases, a.covered], [30, 30]);
});

Deno.test("a step that is no option counts against coverage alone", () => {
  const answer = (c: ArbiterCase) => mockOracle().find(c.question.request);
  const list = [0, 1].flatMap((f) => [arbiterCase(f, 0), arbiterCase(f, undefined)]);
  const { arbiter, cases: all, covered } = fitArbiter(list, answer, {
    model: "m",
    predicates: [],
    weighed: [],
  });
  assertEquals([all, covered], [4, 2]);
  const rates = arbiter.folds[4]?.rates;
  assertEquals([rates?.agree, rates?.cover], [0.5, 0.5]);
  assertEquals([...rates?.sites ?? []], [["find", [4, 2, 2]]]);
  assertThrows(
    () => fitArbiter(list, () => undefined, { model: "m", predicates: [], weighed: [] }),
    Error,
    "no held-out decision has an answer",
  );
});
