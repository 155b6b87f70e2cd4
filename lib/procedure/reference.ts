/**
 * Parses references: arguments of an action that say where their value comes from.
 *
 * - `@input.NAME`: an input.
 * - `@ticketPATTERN`: the first match of the pattern in the ticket.
 * - `@TOOL$.path`: a value in a result of TOOL.
 * - `@TOOL@.path`: an argument that TOOL was called with.
 *
 * Selectors after the path narrow the choice: `?{"field":"value"}` keeps records with
 * these values, `?said` records that the ticket names, `?described` records that a word
 * of the ticket fits. `?only` requires that a single call is possible. `?all` takes every
 * remaining value as a list. `?instead(ARGUMENT)` takes the value that the ticket wants
 * in place of that argument. A text that begins with `@@` is a literal, without its
 * first `@`.
 *
 * @module
 */

import { isObject, jsonOrUndefined } from "../json/json.ts";
import { compilePattern, type TicketPattern } from "./ticket_pattern.ts";

/** The selectors of a reference. */
export interface Selectors {
  /** Fields of the record, with the values they must have. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
  /** How the ticket must mention the record; undefined for any record. */
  readonly ticket: "said" | "described" | undefined;
  /** Whether the reference binds only when a single call is possible. */
  readonly isOnly: boolean;
  /** Whether all values are taken, as a list. */
  readonly isAll: boolean;
  /** The argument of the same call whose value is replaced. */
  readonly instead: string | undefined;
}

/** A parsed reference. */
export type Reference =
  | { readonly kind: "input"; readonly name: string; readonly text: string }
  | { readonly kind: "ticket"; readonly pattern: TicketPattern; readonly text: string }
  | {
    readonly kind: "result";
    readonly tool: string;
    /** The path; it begins with `$` for a result and `@` for arguments. */
    readonly path: string;
    readonly selectors: Selectors;
    readonly text: string;
  };

/**
 * Parses a reference.
 *
 * @param text The argument as written in the file, beginning with one `@`.
 * @returns The reference.
 * @throws {SyntaxError} When it is not a reference; the message says why.
 */
export function parseReference(text: string): Reference {
  if (text.startsWith("@ticket")) {
    return { kind: "ticket", pattern: compilePattern(text.slice("@ticket".length)), text };
  }
  const input = /^@input\.(.+)$/s.exec(text)?.[1];
  if (input !== undefined) return { kind: "input", name: input, text };
  const [, tool, path, rest] = /^@([^$@?]+)([$@][^?]*)(.*)$/s.exec(text) ?? [];
  if (tool === undefined || path === undefined || rest === undefined) {
    throw new SyntaxError(
      `"${text}" is none of @input.NAME, @ticketPATTERN, @TOOL$.path and @TOOL@.path`,
    );
  }
  return { kind: "result", tool, path, selectors: parseSelectors(rest, text), text };
}

function parseSelectors(text: string, whole: string): Selectors {
  let rest = text;
  let fields: Record<string, string | number | boolean> = {};
  let ticket: Selectors["ticket"];
  let isOnly = false;
  let isAll = false;
  let instead: string | undefined;
  while (rest !== "") {
    const word = /^\?(said|described|only|all)(?=\?|$)/.exec(rest)?.[1];
    if (word !== undefined) {
      if (word === "only") isOnly = true;
      else if (word === "all") isAll = true;
      else ticket = word === "said" ? "said" : "described";
      rest = rest.slice(word.length + 1);
      continue;
    }
    const [replaced, argument] = /^\?instead\(([\w-]+)\)(?=\?|$)/.exec(rest) ?? [];
    if (replaced !== undefined) {
      instead = argument;
      rest = rest.slice(replaced.length);
      continue;
    }
    const end = rest.startsWith("?{") ? jsonEnd(rest) : 0;
    const value = end === 0 ? undefined : jsonOrUndefined(rest.slice(1, end));
    if (!isObject(value) || !Object.values(value).every(isScalar)) {
      throw new SyntaxError(
        `"${whole}": "${rest}" is none of ?said, ?described, ?only, ?all, ?instead(ARGUMENT) and ` +
          '?{"field":"value"}',
      );
    }
    fields = { ...fields, ...value as typeof fields };
    rest = rest.slice(end);
  }
  return { fields, ticket, isOnly, isAll, instead };
}

/** Where the JSON object that begins after the `?` ends. */
function jsonEnd(text: string): number {
  for (let end = text.indexOf("}"); end >= 0; end = text.indexOf("}", end + 1)) {
    if (jsonOrUndefined(text.slice(1, end + 1)) !== undefined) return end + 1;
  }
  return 0;
}

function isScalar(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}
