/**
 * The program of the standard run: decide, look up, and go on from the lookup,
 * until the decision is to hand back.
 *
 * @module
 */

/** A value: the nodes that the standard program is made of. */
export type Expression =
  | { readonly op: "var"; readonly name: string }
  | { readonly op: "int"; readonly value: number }
  | { readonly op: "eq"; readonly lhs: Expression; readonly rhs: Expression }
  | { readonly op: "not"; readonly arg: Expression };

/** A step of a program. */
export type Statement =
  | { readonly stmt: "let" | "assign"; readonly var: string; readonly value: Expression }
  | {
    readonly stmt: "for";
    readonly var: string;
    readonly start: Expression;
    /** The first that is not taken. */
    readonly end: Expression;
    readonly body: readonly Statement[];
  }
  | {
    readonly stmt: "sample";
    readonly var: string;
    readonly addr: { readonly name: string; readonly index: Expression };
    readonly dist: { readonly name: string; readonly args: readonly Expression[] };
  }
  | { readonly stmt: "if"; readonly cond: Expression; readonly then: readonly Statement[] }
  | { readonly stmt: "break" };

/** A run as a program. */
export interface Program {
  readonly hoist_program: 1;
  readonly body: readonly Statement[];
  readonly ret: Expression;
}

const name = (text: string): Expression => ({ op: "var", name: text });
const site = (addr: string, index: string) => ({ name: addr, index: name(index) });

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
