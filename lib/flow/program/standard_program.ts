/**
 * The program of the standard run: decide, look up, and go on from the lookup,
 * until the decision is to hand back.
 *
 * @module
 */

import type { Address, Expr, Program } from "./program.ts";

const name = (text: string): Expr => ({ op: "var", name: text });
const site = (addr: string, index: string): Address => ({ name: addr, index: name(index) });

/** The program as a flow file holds it. */
export const STANDARD_PROGRAM: Program = {
  hoist_program: 1,
  body: [
    { stmt: "let", var: "prev", value: name("call") },
    { stmt: "let", var: "failed", value: name("call_failed") },
    {
      stmt: "for",
      var: "i",
      start: { op: "int", value: 0 },
      end: name("max_lookups"),
      body: [
        {
          stmt: "sample",
          var: "d",
          addr: site("decide", "i"),
          dist: { name: "Decide", args: [name("prev"), name("failed")] },
        },
        {
          stmt: "if",
          cond: { op: "eq", lhs: name("d"), rhs: { op: "int", value: 0 } },
          then: [{ stmt: "break" }],
        },
        {
          stmt: "sample",
          var: "ok",
          addr: site("outcome", "i"),
          dist: { name: "Outcome", args: [name("d")] },
        },
        { stmt: "assign", var: "prev", value: name("d") },
        { stmt: "assign", var: "failed", value: { op: "not", arg: name("ok") } },
      ],
    },
  ],
  ret: name("prev"),
};
