/**
 * Variables in a wrapped server's entry, for a host that passes few: added beside the command, and
 * removed again to the byte.
 *
 * @module
 */

import { type ConfigMember, type ConfigText, type Edit, nodeAt } from "./config_text.ts";
import type { HostKind } from "./host_table.ts";

/** What an entry has to bring along. */
export interface PassedVariables {
  /** Names that the host passes on from its own environment. */
  readonly variables: readonly string[];
  /** Values that are no secrets. */
  readonly env: Readonly<Record<string, string>>;
}

/** Variables without secrets that change where Deno and servers find their files. */
export const PLACE_VARIABLES: readonly string[] = [
  "DENO_DIR",
  "DENO_CERT",
  "SSL_CERT_FILE",
  "NODE_EXTRA_CA_CERTS",
];

/** Variables of ours that a host passes on by name. */
export const OWN_VARIABLES = {
  session: ["HOIST_SESSION"],
  jev: ["TYPESAFE_API_KEY", "TYPESAFE_API_KEY_FILE"],
} as const;

const OWN: readonly unknown[] = Object.values(OWN_VARIABLES).flat();

/** The host's member with values. */
const ENV = "env";

/**
 * Adds variables to an entry; those that it has already stay as they are.
 *
 * @param config The configuration.
 * @param host Its host.
 * @param path The entry.
 * @param beside The member that is followed by what is new.
 * @param passed The variables.
 * @returns The edits, in their order.
 */
export function addVariables(
  config: ConfigText,
  host: HostKind,
  path: readonly string[],
  beside: ConfigMember,
  { variables, env }: PassedVariables,
): Edit[] {
  if (host.variablesKey === undefined) return [];
  const after = (like: ConfigMember, key: string, value: string | readonly string[]) => {
    const { end } = like.node;
    return { start: end, end, text: config.separator(like) + config.pair(like, key, value) };
  };
  const members = nodeAt(config.root, path)?.members;
  const values = members?.get(ENV)?.node.members;
  const last = [...values?.values() ?? []].at(-1);
  const edits = Object.entries(env).flatMap(([name, value]) => {
    if (values === undefined) return [after(beside, `${ENV}.${name}`, value)];
    // An empty table has no place that its text tells: what it lacks, the user adds.
    return values.has(name) || last === undefined ? [] : [after(last, name, value)];
  });
  const listed = members?.get(host.variablesKey)?.node;
  if (listed === undefined) {
    return variables.length === 0 ? edits : [after(beside, host.variablesKey, variables), ...edits];
  }
  const missing = variables.filter((name) => !namesIn(listed.value).includes(name));
  const tail = listed.items?.at(-1);
  if (tail === undefined || missing.length === 0) return edits;
  const text = missing.map((name) => `, ${config.quote(name)}`).join("");
  return [{ start: tail.end, end: tail.end, text }, ...edits];
}

/**
 * Removes what {@linkcode addVariables} added.
 *
 * @param config The configuration.
 * @param original What it was before.
 * @param host Its host.
 * @param path The entry.
 * @returns The edits.
 */
export function removeVariables(
  config: ConfigText,
  original: ConfigText,
  host: HostKind,
  path: readonly string[],
): Edit[] {
  if (host.variablesKey === undefined) return [];
  const now = nodeAt(config.root, path)?.members;
  const was = nodeAt(original.root, path)?.members;
  const gone = (member: ConfigMember): Edit => {
    const separator = config.separator(member);
    const isBehind = config.text.slice(0, member.start).endsWith(separator);
    const start = isBehind ? member.start - separator.length : member.start;
    return { start, end: member.node.end, text: "" };
  };
  const edits: Edit[] = [];
  const valuesBefore = was?.get(ENV)?.node.members;
  for (const [name, member] of now?.get(ENV)?.node.members ?? []) {
    const isOurs = PLACE_VARIABLES.includes(name) && valuesBefore?.has(name) !== true;
    if (isOurs) edits.push(gone(member));
  }
  const listed = now?.get(host.variablesKey);
  if (listed === undefined) return edits;
  const before = namesIn(was?.get(host.variablesKey)?.node.value);
  const names = namesIn(listed.node.value);
  const isOurs = names.every((name, i) =>
    i < before.length ? name === before[i] : OWN.includes(name)
  );
  if (!isOurs) return edits;
  if (before.length === 0) return was?.has(host.variablesKey) ? edits : [...edits, gone(listed)];
  const [last, tail] = [listed.node.items?.[before.length - 1], listed.node.items?.at(-1)];
  if (last === undefined || tail === undefined) return edits;
  return [...edits, { start: last.end, end: tail.end, text: "" }];
}

function namesIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
