import { assert, assertEquals } from "@std/assert";
import { fitLogistic } from "./regression/logistic.ts";
import { foldsOf } from "./count/folds.ts";
import { bestThreshold } from "./pick_threshold.ts";

Deno.test("fitLogistic() finds the log-odds of a feature, shrunk by the penalty", () => {
  const rows = Array.from(
    { length: 1000 },
    (_, i) => ({ offset: 0, names: ["on"], happened: i % 4 !== 0 }),
  );
  const weight = fitLogistic(rows, { penalty: 1, minRows: 5 }).get("on") ?? 0;
  assert(Math.abs(weight - Math.log(3)) < 0.02, String(weight));
  const strict = fitLogistic(rows, { penalty: 1000, minRows: 5 }).get("on") ?? 0;
  assert(strict > 0 && strict < 0.5);
});

Deno.test("fitLogistic() leaves out what was hardly seen, and stays finite when features split the rows", () => {
  const rows = Array.from(
    { length: 50 },
    (_, i) => ({ offset: 0, names: i < 25 ? ["a", "b"] : [`only ${i}`], happened: i < 25 }),
  );
  const weights = fitLogistic(rows, { penalty: 1, minRows: 5 });
  assertEquals([...weights.keys()], ["a", "b"]);
  assert([...weights.values()].every((w) => Number.isFinite(w) && w < 10));
});

Deno.test("fitLogistic() shrinks more what it is told to be strict with", () => {
  const rows = Array.from(
    { length: 100 },
    (_, i) => ({ offset: 0, names: i % 2 === 0 ? ["a", "b"] : [], happened: i % 2 === 0 }),
  );
  const weights = fitLogistic(rows, {
    penalty: 1,
    minRows: 5,
    strictness: (name) => name === "b" ? 10 : 1,
  });
  const [a = 0, b = 0] = [weights.get("a"), weights.get("b")];
  assert(b > 0 && Math.abs(a - 10 * b) < 0.01, `${a} and ${b}`);
});

Deno.test("foldsOf() deals tasks evenly, whatever their order", () => {
  const tasks = Array.from({ length: 30 }, (_, i) => String(i));
  const folds = foldsOf(tasks);
  assertEquals(folds, foldsOf(tasks.toReversed()));
  assertEquals([0, 1, 2, 3, 4].map((f) => [...folds.values()].filter((x) => x === f).length), [
    6,
    6,
    6,
    6,
    6,
  ]);
});

Deno.test("bestThreshold() keeps nearly all worth and acts least", () => {
  const trial = (threshold: number, worth: number) => ({ threshold, worth, saved: 0, detours: 0 });
  assertEquals(
    bestThreshold([trial(0.2, 90), trial(0.3, 100), trial(0.5, 93), trial(0.7, 50)]),
    0.5,
  );
  assertEquals(bestThreshold([trial(0.2, -9), trial(0.8, -1)]), 0.8);
  assertEquals(bestThreshold([]), 0.3);
});
