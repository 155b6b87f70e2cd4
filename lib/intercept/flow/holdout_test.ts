import { assert, assertEquals } from "@std/assert";
import { armOf } from "./holdout.ts";

const names = Array.from({ length: 2000 }, (_, i) => `session-${i}`);

Deno.test("armOf() holds out the share that was asked for", () => {
  for (const share of [0, 0.2, 0.5, 1]) {
    const held = names.filter((name) => armOf(name, { share, seed: 0 }) === "holdout").length;
    assert(Math.abs(held / names.length - share) < 0.03, `${share}: ${held}`);
  }
});

Deno.test("armOf() draws a session alike again, and otherwise with another seed", () => {
  const draws = (seed: number) => names.map((name) => armOf(name, { share: 0.5, seed }));
  assertEquals(draws(7), draws(7));
  assert(draws(7).some((arm, i) => arm !== draws(8)[i]));
});
