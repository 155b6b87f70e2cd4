/**
 * Reads the inputs of a run, and checks them against the procedure.
 *
 * @module
 */

import { actionsOf, type Procedure, referencesIn } from "../procedure.ts";
import type { InputValue } from "./run_state.ts";
import { compilePattern } from "../ticket_pattern.ts";

/**
 * Reads the inputs of a run.
 *
 * @param procedure The procedure.
 * @param given Name and text of each, from the command line.
 * @returns The inputs, or the first fault.
 */
export function readInputs(
  procedure: Procedure,
  given: readonly (readonly [name: string, text: string])[],
): Readonly<Record<string, InputValue>> | string {
  const found: Record<string, InputValue> = {};
  for (const [name, text] of given) {
    const input = Object.hasOwn(procedure.inputs, name) ? procedure.inputs[name] : undefined;
    if (input === undefined) {
      const known = Object.keys(procedure.inputs).join(", ");
      return `The procedure has no input "${name}"; ${known ? `it has ${known}` : "it has none"}`;
    }
    if (Object.hasOwn(found, name)) return `Input "${name}" is given twice`;
    if (input.pattern !== undefined && !compilePattern(input.pattern).fits(text)) {
      return `Input "${name}" has to look like ${input.pattern}, not "${text}"`;
    }
    const value = valueOf(input.type, text);
    if (value === undefined) return `Input "${name}" has to be a ${input.type}, not "${text}"`;
    found[name] = value;
  }
  for (const [name, { isOptional, description }] of Object.entries(procedure.inputs)) {
    if (!isOptional && !Object.hasOwn(found, name)) {
      return `Missing input "${name}": ${description}`;
    }
  }
  return found;
}

function valueOf(type: "string" | "number" | "boolean", text: string): InputValue | undefined {
  if (type === "string") return text === "" ? undefined : text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  const value = Number(text);
  return text.trim() === "" || !Number.isFinite(value) ? undefined : value;
}

/** Whether a procedure reads the ticket. */
export function needsTicket(procedure: Procedure): boolean {
  if (procedure.vocab.length > 0 || procedure.familiar.size > 0 || procedure.checks.length > 0) {
    return true;
  }
  for (const { action } of actionsOf(procedure)) {
    for (const reference of referencesIn(Object.values(action.arguments ?? {}))) {
      if (reference.kind === "ticket") return true;
      if (reference.kind !== "result") continue;
      const { ticket, instead } = reference.selectors;
      if (ticket !== undefined || instead !== undefined) return true;
    }
  }
  return false;
}
