import { assert, assertEquals } from "@std/assert";
import { differenceInterval, sampleOf, valuesNeeded } from "./welch.ts";

/** Numbers from 0 to 1, the same each time. */
function* draws(seed: number): Generator<number, never> {
  let state = seed;
  for (;;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** A count of turns: mostly few, sometimes many. */
function turnsOf(random: Generator<number, never>, mean: number): number {
  return 1 + Math.round(-Math.log(1 - random.next().value) * (mean - 1));
}

Deno.test("differenceInterval() is Welch's", () => {
  // Degrees of freedom 4.0 and a standard error of 1 in the first row: t is 2.776.
  const a = { n: 3, mean: 10, variance: 1.5 };
  const interval = differenceInterval(a, { ...a, mean: 8 });
  assertEquals(interval?.map((end) => end.toFixed(2)), ["-0.78", "4.78"]);
  assertEquals(differenceInterval(sampleOf([1, 2]), sampleOf([1, 2, 3])), undefined);
});

Deno.test("differenceInterval() holds zero about 95 times in 100 where there is no difference", () => {
  const random = draws(1);
  let held = 0;
  for (let i = 0; i < 1000; i++) {
    const arm = (n: number) => sampleOf(Array.from({ length: n }, () => turnsOf(random, 8)));
    const [low, high] = differenceInterval(arm(40), arm(12)) ?? [1, 0];
    if (low <= 0 && high >= 0) held++;
  }
  assert(held > 910 && held < 980, `${held}`);
});

Deno.test("valuesNeeded() finds a difference four times in five", () => {
  const random = draws(2);
  const seen = { n: 100, mean: 6, variance: 25 };
  const all = valuesNeeded(seen, { n: 100, mean: 8, variance: 49 }) ?? 0;
  assertEquals(all, 291);
  let clear = 0;
  for (let i = 0; i < 500; i++) {
    const arm = (mean: number) =>
      sampleOf(Array.from({ length: Math.round(all / 2) }, () => turnsOf(random, mean)));
    const [, high] = differenceInterval(arm(6), arm(8)) ?? [0, 0];
    if (high < 0) clear++;
  }
  assert(clear > 370 && clear < 440, `${clear}`);
});
