/**
 * A program as text for people.
 *
 * @module
 */

import type { DistCall, Expr, Program, Stmt } from "./program.ts";

const SIGNS: Readonly<Record<string, string>> = {
  add: "+",
  sub: "-",
  mul: "*",
  div: "/",
  eq: "==",
  ne: "!=",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
  and: "and",
  or: "or",
};

/**
 * Spells a program.
 *
 * @param program The program.
 * @returns Its lines, blocks indented.
 */
export function programText(program: Program): string[] {
  return [...block(program.body), `return ${exprText(program.ret)}`];
}

function block(body: readonly Stmt[]): string[] {
  return body.flatMap(stmtText);
}

function inner(body: readonly Stmt[]): string[] {
  return block(body).map((line) => `  ${line}`);
}

function stmtText(stmt: Stmt): string[] {
  switch (stmt.stmt) {
    case "let":
      return [`let ${stmt.var} = ${exprText(stmt.value)}`];
    case "assign":
      return [`${stmt.var} = ${exprText(stmt.value)}`];
    case "sample":
      return [`${stmt.var} ~ ${distText(stmt.dist)} at ${addressText(stmt.addr)}`];
    case "observe":
      return [
        `observe ${exprText(stmt.value)} ~ ${distText(stmt.dist)} at ${addressText(stmt.addr)}`,
      ];
    case "factor":
      return [`factor ${exprText(stmt.logw)}`];
    case "for":
      return [
        `for ${stmt.var} from ${exprText(stmt.start)} below ${exprText(stmt.end)}`,
        ...inner(stmt.body),
      ];
    case "if":
      return [
        `if ${exprText(stmt.cond)}`,
        ...inner(stmt.then),
        ...(stmt.else === undefined ? [] : ["else", ...inner(stmt.else)]),
      ];
    case "break":
      return ["break"];
  }
}

function distText({ name, args }: DistCall): string {
  return `${name}(${args.map(exprText).join(", ")})`;
}

function addressText({ name, index }: { name: string; index?: Expr | undefined }): string {
  return index === undefined ? name : `${name}#${exprText(index)}`;
}

function exprText(expr: Expr): string {
  switch (expr.op) {
    case "f64":
    case "int":
    case "bool":
      return String(expr.value);
    case "var":
      return expr.name;
    case "array":
      return `[${expr.items.map(exprText).join(", ")}]`;
    case "index":
      return `${exprText(expr.array)}[${exprText(expr.index)}]`;
    case "len":
      return `len(${exprText(expr.array)})`;
    case "neg":
      return `-${exprText(expr.arg)}`;
    case "not":
      return `not ${exprText(expr.arg)}`;
    case "call":
      return `${expr.func}(${expr.args.map(exprText).join(", ")})`;
    default:
      return `(${exprText(expr.lhs)} ${SIGNS[expr.op]} ${exprText(expr.rhs)})`;
  }
}
