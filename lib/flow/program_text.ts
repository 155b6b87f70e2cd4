/**
 * A program as a person reads it.
 *
 * @module
 */

import type { Expression, Program, Statement } from "./standard_program.ts";

/**
 * Prints a program.
 *
 * @param program The program.
 * @returns Lines, indented by what they stand in.
 */
export function programText({ body, ret }: Program): string[] {
  return [...blockText(body, ""), `return ${valueText(ret)}`];
}

function blockText(body: readonly Statement[], indent: string): string[] {
  return body.flatMap((statement) => statementText(statement, indent));
}

function statementText(s: Statement, indent: string): string[] {
  const inner = `${indent}  `;
  switch (s.stmt) {
    case "let":
      return [`${indent}let ${s.var} = ${valueText(s.value)}`];
    case "assign":
      return [`${indent}${s.var} = ${valueText(s.value)}`];
    case "sample": {
      const args = s.dist.args.map(valueText).join(", ");
      return [
        `${indent}${s.var} ~ ${s.dist.name}(${args}) at ${s.addr.name}#${valueText(s.addr.index)}`,
      ];
    }
    case "for":
      return [
        `${indent}for ${s.var} from ${valueText(s.start)} below ${valueText(s.end)}`,
        ...blockText(s.body, inner),
      ];
    case "if":
      return [`${indent}if ${valueText(s.cond)}`, ...blockText(s.then, inner)];
    case "break":
      return [`${indent}break`];
  }
}

function valueText(value: Expression): string {
  switch (value.op) {
    case "var":
      return value.name;
    case "int":
      return String(value.value);
    case "eq":
      return `${valueText(value.lhs)} = ${valueText(value.rhs)}`;
    case "not":
      return `not ${valueText(value.arg)}`;
  }
}
