/**
 * Reads procedure files. Checks the version first, then the shape, then that each
 * action parses and names only inputs and tools that exist.
 *
 * @module
 */

import { at } from "../json/json.ts";
import { parseAction } from "./action_text.ts";
import {
  type Action,
  actionsOf,
  type OutcomeCheck,
  type Procedure,
  type ProcedureNode,
  referencesIn,
  START_SITE,
  toolsOf,
} from "./procedure.ts";
import { type FileNode, type ProcedureFile, procedureSchema } from "./procedure_schema.ts";
import { compilePattern } from "./ticket_pattern.ts";
import { reasonOf } from "../text/reason.ts";

/** The version that this build reads and writes. */
const PROCEDURE_VERSION = 1;

/** The deepest tree that is read: no run needs more. */
const MAX_DEPTH = 100;

/** A procedure file that cannot be used; the message names the file and the place. */
export class ProcedureSyntaxError extends SyntaxError {
  override readonly name = "ProcedureSyntaxError";
}

/**
 * Reads a procedure.
 *
 * @param text The file's text.
 * @param path The file's name, for messages.
 * @returns The procedure.
 * @throws {ProcedureSyntaxError} When the file cannot be used; names the place in the file.
 */
export function readProcedure(text: string, path: string): Procedure {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : "";
    throw new ProcedureSyntaxError(`Cannot read "${path}": it is not JSON: ${why}`);
  }
  const version = at(json, "hoist_procedure");
  if (version === undefined) {
    throw new ProcedureSyntaxError(`Cannot read "${path}": it is not a procedure`);
  }
  if (version !== PROCEDURE_VERSION) {
    throw new ProcedureSyntaxError(
      `Cannot read "${path}": its version is ${JSON.stringify(version)}, this program reads ` +
        `version ${PROCEDURE_VERSION}; compile it again from its sessions`,
    );
  }
  const fail = (where: string, what: string): never => {
    throw new ProcedureSyntaxError(`Cannot read "${path}": ${where}: ${what}`);
  };
  for (const [site, tree] of Object.entries(at(json, "trees") ?? {})) {
    if (depthOf(tree) > MAX_DEPTH) fail(`$.trees.${site}`, `is deeper than ${MAX_DEPTH}`);
  }
  if (depthOf(at(json, "fallback")) > MAX_DEPTH) fail("$.fallback", `is deeper than ${MAX_DEPTH}`);
  const parsed = procedureSchema.safeParse(json);
  if (!parsed.success) {
    const { where, message } = firstIssue(parsed.error.issues);
    return fail(where, message);
  }
  return made(parsed.data, fail);
}

/**
 * Makes a procedure from the content of a file.
 *
 * @param file The content, of the right shape.
 * @param path The file's name, for messages.
 * @returns The procedure.
 * @throws {ProcedureSyntaxError} When an action names an unknown input or tool; names the place.
 */
export function procedureOf(file: ProcedureFile, path: string): Procedure {
  return made(file, (where, what) => {
    throw new ProcedureSyntaxError(`Cannot use "${path}": ${where}: ${what}`);
  });
}

function made(file: ProcedureFile, fail: Fail): Procedure {
  const procedure = new Maker(file, fail).make();
  checkNames(procedure, fail);
  return procedure;
}

type Fail = (where: string, what: string) => never;

class Maker {
  readonly #file: ProcedureFile;
  readonly #fail: Fail;

  constructor(file: ProcedureFile, fail: Fail) {
    this.#file = file;
    this.#fail = fail;
  }

  make(): Procedure {
    const file = this.#file;
    return {
      domain: file.domain,
      provenance: file.provenance,
      maxCalls: file.max_calls,
      stop: file.stop,
      handoff: file.handoff,
      handoffArguments: file.handoff_arguments,
      inputs: Object.fromEntries(
        Object.entries(file.inputs).map(([name, input]) => {
          const { type, pattern, description, optional: isOptional } = input;
          this.#try(`$.inputs.${name}.pattern`, () => pattern && compilePattern(pattern));
          return [name, { type, pattern, description, isOptional }];
        }),
      ),
      contracts: file.contracts,
      reads: new Set(file.reads),
      vocab: file.vocab,
      familiar: new Set(file.familiar),
      trees: Object.fromEntries(
        Object.entries(file.trees).map(([site, tree]) => [
          site,
          this.#node(tree, `$.trees${step(site)}`),
        ]),
      ),
      fallback: this.#node(file.fallback, "$.fallback"),
      checks: file.checks.map((check, i): OutcomeCheck => ({
        ...check,
        probe: this.#action(check.probe, `$.checks[${i}].probe`),
      })),
    };
  }

  #node(node: FileNode, where: string): ProcedureNode {
    if ("calls" in node) {
      const actions = node.calls.map(([text, count], i) => ({
        action: this.#action(text, `${where}.calls[${i}][0]`),
        count,
      }));
      return { kind: "calls", actions, otherwise: node.hand_back };
    }
    if ("hand_back" in node) return { kind: "hand_back", reason: node.hand_back };
    return {
      kind: "split",
      feature: node.feature,
      yes: this.#node(node.yes, `${where}.yes`),
      no: this.#node(node.no, `${where}.no`),
    };
  }

  #action(text: string, where: string): Action {
    return this.#try(where, () => parseAction(text, this.#file.symbolic));
  }

  #try<T>(where: string, make: () => T): T {
    try {
      return make();
    } catch (error) {
      return this.#fail(where, reasonOf(error));
    }
  }
}

/** Checks that every named input, tool and site exists. */
function checkNames(procedure: Procedure, fail: Fail): void {
  const { trees, inputs, checks, stop, reads, contracts } = procedure;
  const tools = new Set(toolsOf(procedure));
  const placed = [
    ...[...actionsOf(procedure)].map(({ site, action }) => ({ where: treeAt(site), action })),
    ...checks.map(({ probe }, i) => ({ where: `$.checks[${i}].probe`, action: probe })),
  ];
  for (const { where, action } of placed) {
    for (const reference of referencesIn(Object.values(action.arguments ?? {}))) {
      if (reference.kind === "input" && !Object.hasOwn(inputs, reference.name)) {
        fail(where, `"${action.text}" takes input "${reference.name}", which $.inputs lacks`);
      }
      if (reference.kind === "result" && !tools.has(reference.tool)) {
        fail(where, `"${action.text}" takes a value of ${reference.tool}, which is never called`);
      }
    }
  }
  if (tools.has(stop)) fail("$.stop", `"${stop}" is called as a tool`);
  checks.forEach(({ probe }, i) => {
    if (!reads.has(probe.tool)) fail(`$.checks[${i}].probe`, `${probe.tool} is not in $.reads`);
  });
  for (const site of Object.keys(trees)) {
    if (site !== START_SITE && !tools.has(site.replace(/!$/, ""))) {
      fail(`$.trees${step(site)}`, "no action calls this tool, so no run gets here");
    }
  }
  for (const tool of Object.keys(contracts)) {
    if (!tools.has(tool)) fail(`$.contracts${step(tool)}`, "no action calls this tool");
  }
}

function treeAt(site: string): string {
  return site === "fallback" ? "$.fallback" : `$.trees${step(site)}`;
}

function step(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** The depth of a value, capped; checked before the schema recurses into it. */
function depthOf(value: unknown): number {
  let deepest = 0;
  const rest: [unknown, number][] = [[value, 0]];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const [here, depth] = next;
    deepest = Math.max(deepest, depth);
    if (depth > MAX_DEPTH) return depth;
    if (typeof here !== "object" || here === null) continue;
    for (const item of Object.values(here)) rest.push([item, depth + 1]);
  }
  return deepest;
}

interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly errors?: readonly (readonly Issue[])[];
}

/** The first fault; for a node, the fault under the kind of node that it is closest to. */
function firstIssue(issues: readonly Issue[]): { where: string; message: string } {
  const path: PropertyKey[] = [];
  let issue = issues[0];
  while (issue?.errors !== undefined) {
    path.push(...issue.path);
    const deepest = [...issue.errors].sort((a, b) => depth(b[0]) - depth(a[0]))[0];
    if (deepest === undefined || depth(deepest[0]) === 0) {
      return { where: place(path), message: "is not one of the three kinds of node" };
    }
    issue = deepest[0];
  }
  path.push(...issue?.path ?? []);
  return { where: place(path), message: issue?.message ?? "is wrong" };
}

/** Rates how close a node is to a kind: a wrong value under a key counts, a missing key does not. */
function depth(issue: Issue | undefined): number {
  if (issue === undefined) return 0;
  const isMissing = /received undefined/.test(issue.message);
  return isMissing ? 0 : issue.path.length +
    Math.max(0, ...(issue.errors ?? []).map((list) => depth(list[0])));
}

function place(path: readonly PropertyKey[]): string {
  return "$" + path.map((p) => typeof p === "number" ? `[${p}]` : step(String(p))).join("");
}
