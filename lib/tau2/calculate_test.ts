import { assertEquals, assertThrows } from "@std/assert";
import { calculate, roundCents } from "./calculate.ts";
import { ToolRefusal } from "./refusal.ts";

for (
  const [expression, value] of [
    ["2 + 2", "4.0"],
    ["2 * (3 + 4.5) - -1", "16.0"],
    ["10 / 4 / 5", "0.5"],
    ["1 / 8", "0.12"],
    ["3 / 8", "0.38"],
    ["-1.005 * 100", "-100.5"],
    [".5 + 5.", "5.5"],
    ["100.1 + 200.2", "300.3"],
  ] as const
) {
  Deno.test(`calculate(${expression}) is ${value}`, () => {
    assertEquals(calculate(expression), value);
  });
}

Deno.test("calculate() refuses what is no expression", () => {
  for (const expression of ["", "2 2", "(1", "1)", "* 2", "1 +", "."]) {
    assertThrows(
      () => calculate(expression),
      ToolRefusal,
      "invalid syntax (<string>, line 1)",
    );
  }
  assertThrows(() => calculate("1 / 0"), ToolRefusal, "division by zero");
  assertThrows(() => calculate("two"), ToolRefusal, "Invalid characters in expression");
});

Deno.test("roundCents() rounds halves to even", () => {
  assertEquals([-0.125, 0.125, 0.375, 2.005, 74.11999999999995].map(roundCents), [
    -0.12,
    0.12,
    0.38,
    2,
    74.12,
  ]);
});
