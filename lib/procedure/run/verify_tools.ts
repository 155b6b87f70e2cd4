/**
 * Compares a procedure with the tools that a server lists: missing tools, changed
 * contracts, reads that the server marks as writes.
 *
 * @module
 */

import { contractOf } from "../../trace/contract.ts";
import { at } from "../../json/json.ts";
import { actionsOf, type Procedure, referencesIn, toolsOf } from "../procedure.ts";

/** A tool as a server lists it. */
export interface ServerTool {
  readonly name: string;
  readonly inputSchema?: unknown;
  readonly annotations?: unknown;
}

/**
 * Compares a procedure with a server's tools.
 *
 * @param procedure The procedure.
 * @param listed Every tool that the server lists.
 * @returns The reasons not to run the procedure there, a sentence each; empty when there are none.
 */
export function toolFaults(procedure: Procedure, listed: readonly ServerTool[]): string[] {
  const byName = new Map(listed.map((tool) => [tool.name, tool]));
  const faults: string[] = [];
  for (const name of toolsOf(procedure)) {
    const tool = byName.get(name);
    if (tool === undefined) {
      faults.push(`the server lists no tool "${name}"`);
      continue;
    }
    const wanted = Object.hasOwn(procedure.contracts, name) ? procedure.contracts[name] : undefined;
    const has = contractOf(tool.inputSchema);
    if (wanted !== undefined && wanted !== has) {
      faults.push(`the contract of "${name}" changed: it was "${wanted}", the server has "${has}"`);
    }
    if (procedure.reads.has(name) && at(tool.annotations, "readOnlyHint") === false) {
      faults.push(`"${name}" is a read in the procedure, and the server marks it as a write`);
    }
    faults.push(...argumentFaults(procedure, tool));
  }
  return faults;
}

/** Faults for unknown arguments, and for required ones that an action leaves out. */
function argumentFaults(procedure: Procedure, tool: ServerTool): string[] {
  const properties = Object.keys(at(tool.inputSchema, "properties") ?? {});
  const required = at(tool.inputSchema, "required");
  const faults = new Set<string>();
  for (const { action } of actionsOf(procedure)) {
    if (action.tool !== tool.name) continue;
    const passed = action.tool === procedure.handoff && action.arguments === undefined
      ? Object.keys(procedure.handoffArguments)
      : Object.keys(action.arguments ?? {});
    for (const name of Array.isArray(required) ? required.map(String) : []) {
      if (!passed.includes(name)) {
        faults.add(`${action.text} leaves out "${name}", which is required`);
      }
    }
    const isOpen = at(tool.inputSchema, "additionalProperties") !== false;
    for (const name of isOpen ? [] : passed) {
      if (!properties.includes(name)) faults.add(`"${tool.name}" has no argument "${name}"`);
    }
  }
  return [...faults];
}

/** The inputs that no action takes, which is likely a mistake. */
export function unusedInputs(procedure: Procedure): string[] {
  const used = new Set<string>();
  for (const { action } of actionsOf(procedure)) {
    for (const reference of referencesIn(Object.values(action.arguments ?? {}))) {
      if (reference.kind === "input") used.add(reference.name);
    }
  }
  return Object.keys(procedure.inputs).filter((name) => !used.has(name));
}
