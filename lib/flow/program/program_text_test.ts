import { assertEquals } from "@std/assert";
import type { Expr, Program } from "./program.ts";
import { programText } from "./program_text.ts";
import { STANDARD_PROGRAM } from "./standard_program.ts";

Deno.test("programText() spells the standard program", () => {
  assertEquals(programText(STANDARD_PROGRAM), [
    "let prev = call",
    "let failed = call_failed",
    "for i from 0 below max_lookups",
    "  d ~ Decide(prev, failed) at decide#i",
    "  if (d == 0)",
    "    break",
    "  ok ~ Outcome(d) at outcome#i",
    "  prev = d",
    "  failed = not ok",
    "return prev",
  ]);
});

Deno.test("programText() spells every other node", () => {
  const one: Expr = { op: "int", value: 1 };
  const list: Expr = { op: "array", items: [one, { op: "neg", arg: one }] };
  const program: Program = {
    hoist_program: 1,
    body: [
      {
        stmt: "observe",
        addr: { name: "o" },
        dist: { name: "Outcome", args: [one] },
        value: { op: "bool", value: true },
      },
      { stmt: "factor", logw: { op: "call", func: "log", args: [{ op: "f64", value: 0.5 }] } },
      {
        stmt: "if",
        cond: { op: "bool", value: true },
        then: [],
        else: [{ stmt: "let", var: "x", value: { op: "index", array: list, index: one } }],
      },
    ],
    ret: { op: "len", array: list },
  };
  assertEquals(programText(program), [
    "observe true ~ Outcome(1) at o",
    "factor log(0.5)",
    "if true",
    "else",
    "  let x = [1, -1][1]",
    "return len([1, -1])",
  ]);
});
