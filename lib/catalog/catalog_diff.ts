/**
 * Compares two tool lists, and ranks each change by what it does to recorded use.
 *
 * @module
 */

import { canonicalJson } from "../json/canonical_json.ts";
import { at, type JsonObject } from "../json/json.ts";
import { contractOf } from "../trace/contract.ts";
import { brokenCalls } from "./broken_calls.ts";
import { type Catalog, isReadOnly } from "./catalog.ts";
import type { RecordedUse } from "./recorded_use.ts";
import { type SchemaChange, schemaChanges } from "./schema_change.ts";

/** The effect of a change, the worst first. */
export const EFFECTS = {
  write: "turns a read into a write",
  flow: "breaks a flow",
  call: "breaks a recorded call",
  harmless: "harmless",
} as const;
/** An effect of a change. */
export type ChangeEffect = keyof typeof EFFECTS;

/** The part of a tool that changed. */
export type ChangedPart =
  | "added"
  | "gone"
  | "renamed"
  | "input"
  | "output"
  | "annotations"
  | "description";

/** One change of a tool. */
export interface ToolChange {
  /** The tool's old name; of an added tool its new one. */
  readonly tool: string;
  readonly part: ChangedPart;
  /** The change in words. */
  readonly what: string;
  readonly effect: ChangeEffect;
  /** Recorded calls of the tool. */
  readonly calls: number;
  /** Those of them that break. */
  readonly broken: number;
  /** The flows that break. */
  readonly flows: readonly string[];
}

/** What a flow needs of the tools it knows. */
export interface FlowNeeds {
  readonly name: string;
  /** Tools that it looks up, or looks up after. */
  readonly tools: ReadonlySet<string>;
  /** The contracts of its lookups. */
  readonly contracts: Readonly<Record<string, string>>;
}

/** Recorded use and flows, to rank changes by. */
export interface ChangeContext {
  readonly use: RecordedUse;
  readonly flows: readonly FlowNeeds[];
}

/**
 * Compares two tool lists.
 *
 * @param before The old list.
 * @param after The new one.
 * @param options The recorded use of the tools.
 * @returns The changes, the worst effect first, then the most used tool.
 */
export function diffCatalogs(
  before: Catalog,
  after: Catalog,
  options: ChangeContext,
): ToolChange[] {
  const changes: ToolChange[] = [];
  const renamed = renames(before, after);
  const newNames = new Set(renamed.values());
  const ranks = new Ranks(options);
  for (const [name, tool] of before) {
    const to = renamed.get(name);
    const next = after.get(to ?? name);
    if (next === undefined) changes.push(ranks.lost(name, "gone", "is gone"));
    else {
      if (to !== undefined) changes.push(ranks.lost(name, "renamed", `is named ${to}`));
      changes.push(...toolChanges(name, { tool, next }, ranks));
    }
  }
  for (const name of after.keys()) {
    if (before.has(name) || newNames.has(name)) continue;
    changes.push(ranks.harmless(name, "added", "is new"));
  }
  const order = Object.keys(EFFECTS);
  return changes.sort((a, b) =>
    order.indexOf(a.effect) - order.indexOf(b.effect) || b.calls - a.calls ||
    (a.tool < b.tool ? -1 : a.tool > b.tool ? 1 : 0)
  );
}

/** Pairs a lost tool with an added one: the same name in another spelling, or the same entry. */
function renames(before: Catalog, after: Catalog): Map<string, string> {
  const found = new Map<string, string>();
  const added = [...after].filter(([name]) => !before.has(name));
  for (const [name, tool] of before) {
    if (after.has(name)) continue;
    const free = added.filter(([to]) => ![...found.values()].includes(to));
    const spelled = free.filter(([to]) => plain(to) === plain(name));
    const alike = free.filter(([, next]) =>
      canonicalJson(next.inputSchema ?? {}) === canonicalJson(tool.inputSchema ?? {}) &&
      (next.description ?? "") === (tool.description ?? "")
    );
    const [match, ...others] = spelled.length > 0 ? spelled : alike;
    if (match !== undefined && others.length === 0) found.set(name, match[0]);
  }
  return found;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** Members of a tool's entry that have a comparison of their own. */
const COMPARED = new Set(["name", "inputSchema", "outputSchema", "annotations"]);

function toolChanges(
  name: string,
  { tool, next }: { readonly tool: JsonObject; readonly next: JsonObject },
  ranks: Ranks,
): ToolChange[] {
  const changes: ToolChange[] = [];
  const input = schemaChanges(tool.inputSchema, next.inputSchema);
  if (input.length > 0) changes.push(ranks.input(name, tool, next, input));
  const output = schemaChanges(tool.outputSchema, next.outputSchema);
  if (output.length > 0) changes.push(ranks.output(name, output));
  for (const word of new Set([...Object.keys(tool), ...Object.keys(next)])) {
    if (COMPARED.has(word)) continue;
    if (canonicalJson(tool[word] ?? null) !== canonicalJson(next[word] ?? null)) {
      changes.push(ranks.harmless(name, "description", `${word} changed`));
    }
  }
  const hints = new Set(
    [tool, next].flatMap((entry) => Object.keys(at(entry, "annotations") ?? {})),
  );
  const changed = [...hints].filter((hint) =>
    canonicalJson(at(tool, "annotations", hint) ?? null) !==
      canonicalJson(at(next, "annotations", hint) ?? null)
  );
  if (changed.length > 0) {
    const text = changed.map((hint) => `${hint} was ${said(tool, hint)}, is ${said(next, hint)}`)
      .join("; ");
    changes.push(ranks.annotations(name, text, isReadOnly(tool) && !isReadOnly(next)));
  }
  return changes;
}

function said(tool: JsonObject, hint: string): string {
  return JSON.stringify(at(tool, "annotations", hint)) ?? "absent";
}

/** Ranks changes by the recorded use of their tool. */
class Ranks {
  constructor(readonly options: ChangeContext) {}

  harmless(tool: string, part: ChangedPart, what: string): ToolChange {
    const calls = this.#callsOf(tool);
    return { tool, part, what, effect: "harmless", calls, broken: 0, flows: [] };
  }

  /** A tool that no call by its old name reaches. */
  lost(tool: string, part: "gone" | "renamed", what: string): ToolChange {
    const calls = this.#callsOf(tool);
    const flows = this.#flowsWith(tool);
    return this.#ranked({ tool, part, what, calls, broken: calls, flows });
  }

  input(
    name: string,
    tool: JsonObject,
    next: JsonObject,
    changes: readonly SchemaChange[],
  ): ToolChange {
    const use = this.options.use.tools.get(name);
    const narrowed = changes.some(({ kind }) => kind === "narrowed");
    const { broken, isChecked } = narrowed && use !== undefined
      ? brokenCalls(tool.inputSchema, next.inputSchema, use)
      : { broken: 0, isChecked: true };
    const contract = contractOf(next.inputSchema);
    const flows = this.options.flows.filter(({ contracts }) =>
      Object.hasOwn(contracts, name) && contracts[name] !== contract
    ).map((flow) => flow.name);
    const what = inWords(changes) + (isChecked ? "" : " (the schema cannot be applied to calls)");
    return this.#ranked({
      tool: name,
      part: "input",
      what,
      calls: this.#callsOf(name),
      broken,
      flows,
    });
  }

  /** A result may lack what readers of the old one relied on when it can hold more. */
  output(tool: string, changes: readonly SchemaChange[]): ToolChange {
    const calls = this.#callsOf(tool);
    const loses = changes.some(({ kind, what }) => kind === "widened" || what === "is gone");
    const what = inWords(changes);
    return this.#ranked({
      tool,
      part: "output",
      what,
      calls,
      broken: loses ? calls : 0,
      flows: [],
    });
  }

  annotations(tool: string, what: string, isWrite: boolean): ToolChange {
    const change = this.harmless(tool, "annotations", what);
    return isWrite ? { ...change, effect: "write", flows: this.#flowsWith(tool) } : change;
  }

  #ranked(change: Omit<ToolChange, "effect">): ToolChange {
    const effect = change.flows.length > 0 ? "flow" : change.broken > 0 ? "call" : "harmless";
    return { ...change, effect };
  }

  #callsOf(tool: string): number {
    return this.options.use.tools.get(tool)?.calls ?? 0;
  }

  #flowsWith(tool: string): string[] {
    return this.options.flows.filter(({ tools }) => tools.has(tool)).map(({ name }) => name);
  }
}

function inWords(changes: readonly SchemaChange[]): string {
  return changes.map(({ path, kind, what }) => `${kind}: ${path === "" ? "" : `${path} `}${what}`)
    .join("; ");
}
