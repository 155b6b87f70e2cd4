/**
 * How a lookup that no session made is given its arguments: by their names. Its
 * contract says which it needs, and a record that has fields of those names gives them.
 *
 * @module
 */

import { argKey, type Bindings, type RecordSource } from "../flow.ts";
import type { FlowState } from "../state/flow_state.ts";

/**
 * Bindings by name.
 *
 * @param tool The lookup.
 * @param contract Its contract, `order_id:string!, full:boolean`.
 * @param state The session so far.
 * @returns Bindings of this lookup alone: required arguments, from every record shown that has all.
 */
export function bindingsByName(tool: string, contract: string, state: FlowState): Bindings {
  const required = contract.split(", ").flatMap((part) => {
    const [, name, type] = /^(.+):([^:]*)!$/s.exec(part) ?? [];
    return name === undefined ? [] : [{ name, type }];
  });
  const names = required.map(({ name }) => name);
  const found = new Map<string, RecordSource>();
  for (const { tool: source, result } of state.outputs) {
    for (const [path, records] of result.records) {
      if (!records.some(({ fields }) => names.every((name) => fields.has(name)))) continue;
      const fields = Object.fromEntries(names.map((name) => [name, name]));
      found.set(JSON.stringify([source, path]), { tool: source, path, fields, found: 1 });
    }
  }
  return {
    args: new Map([[tool, { calls: 1, passed: new Map(names.map((name) => [name, 1])) }]]),
    sources: new Map(),
    records: new Map([[tool, { calls: 1, found: [...found.values()] }]]),
    agreed: new Map(),
    namedOther: new Map(),
    describedRead: new Map(),
    asText: new Set(
      required.filter(({ type }) => type === "string").map(({ name }) => argKey(tool, name)),
    ),
    constants: new Map(),
  };
}
