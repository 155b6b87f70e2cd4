/**
 * The shape of a program in a flow file; `program_check.ts` checks the rest.
 *
 * @module
 */

import { z } from "zod";
import { BINARY, type Expr, FUNCTIONS, type Program, type Stmt } from "./program.ts";

const name = z.string().min(1).max(200);
const one = { arg: z.lazy(() => expr) };

const expr: z.ZodType<Expr> = z.discriminatedUnion("op", [
  z.object({ op: z.literal("f64"), value: z.number() }),
  z.object({ op: z.literal("int"), value: z.int() }),
  z.object({ op: z.literal("bool"), value: z.boolean() }),
  z.object({ op: z.literal("var"), name }),
  z.object({ op: z.literal("array"), items: z.array(z.lazy(() => expr)) }),
  z.object({ op: z.literal("index"), array: z.lazy(() => expr), index: z.lazy(() => expr) }),
  z.object({ op: z.literal("len"), array: z.lazy(() => expr) }),
  z.object({ op: z.enum(["neg", "not"]), ...one }),
  z.object({ op: z.enum(BINARY), lhs: z.lazy(() => expr), rhs: z.lazy(() => expr) }),
  z.object({
    op: z.literal("call"),
    func: z.enum(Object.keys(FUNCTIONS) as (keyof typeof FUNCTIONS)[]),
    args: z.array(z.lazy(() => expr)),
  }),
]);

const addr = z.object({ name, index: expr.optional() });
const dist = z.object({ name: z.enum(["Decide", "Outcome"]), args: z.array(expr) });
const body = z.array(z.lazy(() => stmt));

const stmt: z.ZodType<Stmt> = z.discriminatedUnion("stmt", [
  z.object({ stmt: z.enum(["let", "assign"]), var: name, value: expr }),
  z.object({ stmt: z.literal("sample"), var: name, addr, dist }),
  z.object({ stmt: z.literal("observe"), addr, dist, value: expr }),
  z.object({ stmt: z.literal("factor"), logw: expr }),
  z.object({ stmt: z.literal("for"), var: name, start: expr, end: expr, body }),
  z.object({ stmt: z.literal("if"), cond: expr, then: body, else: body.optional() }),
  z.object({ stmt: z.literal("break") }),
]);

/** The schema; unknown keys are ignored. */
export const programSchema: z.ZodType<Program> = z.object({
  hoist_program: z.literal(1),
  body: z.array(stmt),
  ret: expr,
});
