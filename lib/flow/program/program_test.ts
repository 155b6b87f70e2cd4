import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { canonicalJson } from "../../json/canonical_json.ts";
import { interpret, ProgramError } from "./interpret.ts";
import type { Expr, Program, Stmt } from "./program.ts";
import { checkProgram } from "./program_check.ts";
import { STANDARD_PROGRAM } from "./standard_program.ts";

const int = (value: number): Expr => ({ op: "int", value });
const f64 = (value: number): Expr => ({ op: "f64", value });
const bool = (value: boolean): Expr => ({ op: "bool", value });
const name = (text: string): Expr => ({ op: "var", name: text });

const INPUTS = { call: 1, callFailed: false, maxLookups: 8 };

/** What a program comes to, all that it asks for being its address's own value. */
function result(body: readonly Stmt[], ret: Expr, values: Record<string, number | boolean> = {}) {
  const checked = checkProgram({ hoist_program: 1, body, ret });
  if ("fault" in checked) throw new Error(checked.fault.message);
  const run = interpret(checked.program, INPUTS);
  let next = run.next();
  while (!next.done) {
    const place = next.value;
    next = run.next(place.kind === "sample" ? values[place.address] : undefined);
  }
  return next.value;
}

Deno.test("checkProgram() takes the standard program as it is", () => {
  const checked = checkProgram(JSON.parse(JSON.stringify(STANDARD_PROGRAM)));
  assert("program" in checked);
  assertEquals(canonicalJson(checked.program), canonicalJson(STANDARD_PROGRAM));
});

const sample = (dist: unknown) => ({ stmt: "sample", var: "x", addr: { name: "a" }, dist });
for (
  const [why, body, path, message] of [
    ["an unknown statement", [{ stmt: "goto" }], "body.0.stmt", "Invalid discriminator value"],
    [
      "an unknown operator",
      [{ stmt: "let", var: "x", value: { op: "pow", lhs: int(1), rhs: int(1) } }],
      "body.0.value.op",
      "Invalid discriminator value",
    ],
    [
      "a variable that is not declared",
      [{ stmt: "if", cond: bool(true), then: [{ stmt: "assign", var: "x", value: int(1) }] }],
      "body.0.then.0.var",
      'the variable "x" is not declared',
    ],
    [
      "a variable of an inner block",
      [
        { stmt: "if", cond: bool(true), then: [{ stmt: "let", var: "x", value: int(1) }] },
        { stmt: "factor", logw: name("x") },
      ],
      "body.1.logw.name",
      'the variable "x" is not declared',
    ],
    [
      "a break outside a loop",
      [{ stmt: "if", cond: bool(true), then: [], else: [{ stmt: "break" }] }],
      "body.0.else.0",
      "break stands outside a loop",
    ],
    [
      "another distribution",
      [sample({ name: "Normal", args: [int(0), int(1)] })],
      "body.0.dist.name",
      'Invalid option: expected one of "Decide"|"Outcome"',
    ],
    [
      "a distribution with too few arguments",
      [sample({ name: "Decide", args: [int(0)] })],
      "body.0.dist.args",
      "Decide takes 2, not 1",
    ],
    [
      "an unknown function",
      [{ stmt: "let", var: "x", value: { op: "call", func: "system", args: [] } }],
      "body.0.value.func",
      "Invalid option",
    ],
    [
      "a literal that is not finite",
      [{ stmt: "let", var: "x", value: f64(Infinity) }],
      "body.0.value.value",
      "Invalid input: expected number, received",
    ],
    [
      "a whole number with a fraction",
      [{ stmt: "let", var: "x", value: int(0.5) }],
      "body.0.value.value",
      "Invalid input: expected int, received number",
    ],
  ] as const
) {
  Deno.test(`checkProgram() refuses ${why}`, () => {
    const checked = checkProgram({ hoist_program: 1, body, ret: int(0) });
    assert("fault" in checked, "it was taken");
    assertEquals(checked.fault.path.join("."), path);
    assert(checked.fault.message.startsWith(message), checked.fault.message);
  });
}

Deno.test("checkProgram() refuses another version and deep nesting", () => {
  const other = checkProgram({ hoist_program: 2, body: [], ret: int(0) });
  assert("fault" in other);
  assertEquals([other.fault.path.join("."), other.fault.message], [
    "hoist_program",
    "Invalid input: expected 1",
  ]);
  let ret: Expr = bool(true);
  for (let i = 0; i < 20_000; i++) ret = { op: "not", arg: ret };
  const deep = checkProgram({ hoist_program: 1, body: [], ret });
  assert("fault" in deep);
  assertEquals(deep.fault.message, "is nested deeper than 100 levels");
  assert("fault" in checkProgram(undefined));
});

for (
  const [why, expr, wanted] of [
    ["adds whole numbers", { op: "add", lhs: int(2), rhs: int(3) }, 5],
    ["adds a fraction", { op: "add", lhs: int(2), rhs: f64(0.5) }, 2.5],
    ["divides whole numbers towards zero", { op: "div", lhs: int(-7), rhs: int(2) }, -3],
    ["divides fractions", { op: "div", lhs: f64(7), rhs: int(2) }, 3.5],
    ["subtracts and multiplies", {
      op: "mul",
      lhs: { op: "sub", lhs: int(2), rhs: int(5) },
      rhs: { op: "neg", arg: int(4) },
    }, 12],
    ["compares", { op: "lt", lhs: int(1), rhs: f64(1.5) }, true],
    ["compares the other way", { op: "ge", lhs: int(1), rhs: f64(1.5) }, false],
    ["tells true from false", { op: "ne", lhs: bool(true), rhs: bool(false) }, true],
    ["does not look right of a false and", {
      op: "and",
      lhs: bool(false),
      rhs: { op: "eq", lhs: { op: "div", lhs: int(1), rhs: int(0) }, rhs: int(1) },
    }, false],
    ["looks right of a false or", { op: "or", lhs: bool(false), rhs: bool(true) }, true],
    ["takes an item", {
      op: "index",
      array: { op: "array", items: [int(5), int(6)] },
      index: int(1),
    }, 6],
    ["counts items", { op: "len", array: { op: "array", items: [int(5), int(6)] } }, 2],
    ["calls functions", {
      op: "call",
      func: "max",
      args: [{ op: "call", func: "abs", args: [int(-3)] }, int(2)],
    }, 3],
    ["calls functions of fractions", { op: "call", func: "log", args: [int(1)] }, 0],
  ] as const
) {
  Deno.test(`interpret() ${why}`, () => {
    const value = result([], expr);
    assertEquals("value" in value ? value.value : value, wanted);
  });
}

const rounds = (body: readonly Stmt[], end: Expr = int(10)): Stmt => ({
  stmt: "for",
  var: "i",
  start: int(0),
  end,
  body,
});

Deno.test("interpret() leaves the inner loop at a break, and its own variables alone", () => {
  const value = result([
    { stmt: "let", var: "n", value: int(0) },
    rounds([
      {
        stmt: "if",
        cond: { op: "eq", lhs: name("i"), rhs: int(3) },
        then: [{ stmt: "break" }],
        else: [rounds([
          { stmt: "assign", var: "n", value: { op: "add", lhs: name("n"), rhs: int(1) } },
          { stmt: "let", var: "n", value: int(99) },
        ], int(2))],
      },
    ]),
  ], name("n"));
  assertEquals(value, { kind: "int", value: 6 });
});

for (
  const [why, body, ret, wanted] of [
    ["more steps than it may take", [rounds([], int(1e9))], int(0), "more than 10000 steps"],
    ["a division by zero", [], { op: "div", lhs: int(1), rhs: int(0) }, "div gives no number"],
    [
      "a sum past 2^53",
      [],
      { op: "add", lhs: int(2 ** 53 - 1), rhs: int(1) },
      "add gives no number",
    ],
    ["arithmetic with true", [], { op: "add", lhs: bool(true), rhs: int(1) }, "add needs numbers"],
    ["a number as a condition", [], { op: "not", arg: int(1) }, "1 stands where true or false"],
    ["an item that is not there", [], {
      op: "index",
      array: { op: "array", items: [] },
      index: int(0),
    }, "there is no item 0"],
    ["a list that is none", [], { op: "len", array: int(3) }, "3 stands where a list"],
    ["a fraction as an index", [rounds([], f64(1))], int(0), "1 stands where a whole number"],
    [
      "lists compared",
      [],
      { op: "eq", lhs: { op: "array", items: [] }, rhs: int(1) },
      "eq does not compare lists",
    ],
    [
      "a number compared with true",
      [],
      { op: "eq", lhs: bool(true), rhs: int(1) },
      "eq does not compare a number",
    ],
    [
      "a list as a factor",
      [{ stmt: "factor", logw: { op: "array", items: [] } }],
      int(0),
      "a list stands",
    ],
    ["a factor of true", [{ stmt: "factor", logw: bool(true) }], int(0), "a factor cannot be true"],
    [
      "an observed value of another type",
      [{
        stmt: "observe",
        addr: { name: "o" },
        dist: { name: "Outcome", args: [int(1)] },
        value: int(1),
      }],
      int(0),
      "o cannot hold 1",
    ],
    [
      "a drawn value of another type",
      [{
        stmt: "sample",
        var: "x",
        addr: { name: "d" },
        dist: { name: "Decide", args: [int(1), bool(true)] },
      }],
      int(0),
      "d cannot hold",
    ],
  ] as const
) {
  Deno.test(`interpret() stops at ${why}`, () => {
    assertThrows(() => result(body, ret), ProgramError, wanted);
  });
}

Deno.test("interpret() stops at an address that comes twice", () => {
  const draw: Stmt = {
    stmt: "sample",
    var: "x",
    addr: { name: "d" },
    dist: { name: "Outcome", args: [int(1)] },
  };
  assertThrows(() => result([draw, draw], int(0), { d: true }), ProgramError, "d comes twice");
});

Deno.test("checkProgram() and interpret() take any JSON without another error than their own", () => {
  const leaf = fc.oneof(
    fc.record({
      op: fc.constantFrom("int", "f64", "bool", "var"),
      value: fc.integer(),
      name: fc.string(),
    }),
    fc.jsonValue(),
  );
  const { expr } = fc.letrec((tie) => ({
    expr: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.record({ op: fc.constantFrom("add", "eq", "and"), lhs: tie("expr"), rhs: tie("expr") }),
      fc.record({ op: fc.constantFrom("not", "neg"), arg: tie("expr") }),
    ),
  }));
  fc.assert(fc.property(expr, (ret) => {
    const checked = checkProgram({ hoist_program: 1, body: [], ret });
    if ("fault" in checked) return;
    try {
      interpret(checked.program as Program, INPUTS).next();
    } catch (error) {
      assert(error instanceof ProgramError, String(error));
    }
  }));
});
