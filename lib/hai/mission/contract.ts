/**
 * Mission contracts: what a payload must say, how it becomes a contract, and
 * how two versions differ.
 *
 * Faults of meaning are collected, so that one answer names them all. Nothing
 * here reads the disk.
 *
 * @module
 */

import { describe } from "../call/boundary.ts";
import { recordHash } from "../state/hashes.ts";
import { isIdent } from "../state/ids.ts";
import type { Contract } from "../state/records.ts";
import type { ToolReply } from "../state/refusal.ts";
import { hashableJson } from "../state/state_json.ts";

/** Capabilities of a contract that names none. */
const DEFAULT_CAPABILITIES: readonly string[] = ["read", "write", "test"];

/** Fields a recontract may change, in the order a diff lists them. */
export const MUTABLE_FIELDS = [
  "artifact",
  "constraints",
  "done_criteria",
  "non_goals",
  "objective",
] as const;

/** Fields only the engine sets. */
export const SYSTEM_FIELDS: ReadonlySet<string> = new Set([
  "mission_id",
  "contract_version",
  "contract_hash",
  "status",
  "created_at",
  "recontracted_at",
  "recontract_reason",
  "recontract_mode",
]);

/** A criterion as a caller states it. */
interface CriterionInput {
  readonly id?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly verifiable?: boolean | null | undefined;
}

/** Constraints as a caller states them; the two `unknown` ones are judged here. */
interface ConstraintsInput {
  readonly project_id?: string | null | undefined;
  readonly device_id?: string | null | undefined;
  readonly project_path?: string | null | undefined;
  readonly allowed_paths?: readonly string[] | null | undefined;
  readonly capabilities?: readonly string[] | null | undefined;
  readonly max_parallel_sessions?: unknown;
  readonly time_limit_hours?: unknown;
  readonly servers?: readonly string[] | null | undefined;
  readonly tools?: readonly string[] | null | undefined;
}

/** The terms that a caller proposes. */
export interface ContractInput {
  readonly objective: string;
  readonly artifact: string;
  readonly owner: string;
  readonly done_criteria: readonly CriterionInput[];
  readonly non_goals?: readonly string[] | null | undefined;
  readonly constraints?: ConstraintsInput | null | undefined;
}

/** The part of a contract that is agreed. */
export type Terms = Pick<
  Contract,
  "objective" | "artifact" | "done_criteria" | "non_goals" | "constraints"
>;

/** Changes of a recontract; fields left out stay as they are. */
type TermChanges = {
  readonly [K in typeof MUTABLE_FIELDS[number]]?: ContractInput[K] | undefined;
};

/** Terms, and everything that keeps them from being agreed. */
export interface Draft {
  /** The terms, usable only without issues. */
  readonly terms: Terms;
  /** All faults, as sentences. */
  readonly issues: readonly string[];
  /** Members for the reply that name the first value of a wrong type. */
  readonly typed: ToolReply;
}

const TOO_BROAD = /^(everything|misc|miscellaneous|an? hai arbeiten)$/i;

/**
 * Turns a payload into terms and lists its faults.
 *
 * @param input The payload.
 * @returns Terms and faults.
 */
export function draftTerms(input: ContractInput): Draft {
  const issues: string[] = [];
  for (const field of ["objective", "artifact", "owner"] as const) {
    if (input[field].trim() === "") issues.push(`${field} is required`);
  }
  if (TOO_BROAD.test(input.objective.trim())) {
    issues.push("objective is too broad: say what will be different when it is done");
  }
  const constraints = input.constraints ?? {};
  const sessions = judgeSessions(constraints.max_parallel_sessions);
  const limit = judgeHours(constraints.time_limit_hours);
  const terms: Terms = {
    objective: input.objective.trim(),
    artifact: input.artifact.trim(),
    done_criteria: draftCriteria(input.done_criteria, issues),
    non_goals: (input.non_goals ?? []).map((goal) => goal.trim()).filter((goal) => goal !== ""),
    constraints: {
      owner: input.owner.trim(),
      project_id: constraints.project_id ?? null,
      project_path: typeof constraints.project_id === "string"
        ? null
        : constraints.project_path ?? null,
      allowed_paths: [...(constraints.allowed_paths ?? [])],
      capabilities: [...(constraints.capabilities ?? DEFAULT_CAPABILITIES)],
      max_parallel_sessions: sessions.value,
      time_limit_hours: limit.value,
      // Left out where nobody limits them, so that older contracts keep their hash.
      ...(Array.isArray(constraints.servers) ? { servers: [...constraints.servers] } : {}),
      ...(Array.isArray(constraints.tools) ? { tools: [...constraints.tools] } : {}),
    },
  };
  issues.push(...pathIssues(terms.constraints.allowed_paths));
  for (const name of ["servers", "tools"] as const) {
    if (!(constraints[name] ?? []).some((glob) => glob.trim() === "")) continue;
    issues.push(`constraints.${name} has a blank entry`);
  }
  const faults = [sessions.fault, limit.fault].filter((fault) => fault !== undefined);
  issues.push(...faults.map((fault) => fault.issue));
  issues.push(...identIssues(constraints));
  return { terms, issues, typed: faults[0]?.typed ?? {} };
}

/** Fields that the engine adds to terms. */
interface ContractHead {
  readonly mission_id: string;
  readonly contract_version: number;
  readonly created_at: string;
}

/**
 * Makes a contract version of terms.
 *
 * @param head Mission, version, when version 1 was made.
 * @param terms The terms.
 * @param more Members of later versions.
 * @returns The contract with its hash.
 */
export function sealContract(head: ContractHead, terms: Terms, more: ToolReply = {}): Contract {
  const open = { ...terms, ...head, ...more, status: "active", contract_hash: "" };
  return { ...open, contract_hash: recordHash(open, "contract_hash") };
}

/** One field that differs between two versions. */
export interface FieldDiff {
  readonly field: typeof MUTABLE_FIELDS[number];
  readonly old: unknown;
  readonly new: unknown;
}

/**
 * How terms differ, field by field, in alphabetical order.
 *
 * @param before The terms there are.
 * @param after The terms wanted.
 * @returns The fields that differ.
 */
export function diffTerms(before: Terms, after: Terms): FieldDiff[] {
  return MUTABLE_FIELDS
    .filter((field) => hashableJson(before[field]) !== hashableJson(after[field]))
    .map((field) => ({ field, old: before[field], new: after[field] }));
}

/**
 * Merges the changes of a recontract into the current contract.
 * Constraints are merged member by member; owner and project stay.
 *
 * @param contract The contract there is.
 * @param changes The changes, types already checked.
 * @returns The payload, to be judged like a new one.
 */
export function amendedInput(contract: Contract, changes: TermChanges): ContractInput {
  const { owner, project_id, project_path, ...mutable } = contract.constraints;
  const asked = changes.constraints ?? {};
  return {
    objective: changes.objective ?? contract.objective,
    artifact: changes.artifact ?? contract.artifact,
    owner,
    done_criteria: changes.done_criteria ?? contract.done_criteria,
    non_goals: changes.non_goals ?? contract.non_goals,
    constraints: {
      ...mutable,
      ...Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)),
      project_id,
      // A mission without any root may be given one: else it could never be completed.
      project_path: project_path ?? (project_id === null ? asked.project_path ?? null : null),
      device_id: null,
    },
  };
}

interface Judged<T> {
  readonly value: T;
  readonly fault?: { readonly issue: string; readonly typed: ToolReply };
}

/** Judges a time limit: nothing, or a finite number of at least 1. */
export function judgeHours(given: unknown): Judged<number | null> {
  if (given === undefined || given === null) return { value: null };
  if (typeof given !== "number" || !Number.isFinite(given)) {
    return { value: null, fault: faultOf("time_limit_hours", "number", given) };
  }
  if (given < 1) return { value: null, fault: faultOf("time_limit_hours", ">= 1", given) };
  return { value: given };
}

function judgeSessions(given: unknown): Judged<number> {
  if (given === undefined || given === null) return { value: 1 };
  if (typeof given !== "number" || !Number.isSafeInteger(given)) {
    return { value: 1, fault: faultOf("max_parallel_sessions", "integer", given) };
  }
  if (given < 1) return { value: 1, fault: faultOf("max_parallel_sessions", ">= 1", given) };
  return { value: given };
}

function faultOf(name: string, expected: string, given: unknown) {
  const field = `constraints.${name}`;
  const noun = expected.startsWith(">") ? expected : `a literal ${expected}`;
  return {
    issue: `${field} must be ${noun}, got ${describe(given)}`,
    typed: { field, expected, got: describe(given) },
  };
}

function draftCriteria(
  given: readonly CriterionInput[],
  issues: string[],
): Terms["done_criteria"] {
  if (given.length === 0) issues.push("done_criteria needs at least one criterion");
  const seen = new Set<string>();
  return given.map((criterion, i) => {
    const id = criterion.id?.trim() || `dc-${i + 1}`;
    const description = criterion.description?.trim() ?? "";
    if (seen.has(id)) issues.push(`done_criteria has a duplicate id "${id}"`);
    seen.add(id);
    if (description === "") issues.push(`done_criteria "${id}" has no description`);
    if (criterion.verifiable === false) {
      issues.push(`done_criteria "${id}" is not verifiable: state what can be checked`);
    }
    return { id, description, verifiable: criterion.verifiable ?? true };
  });
}

function pathIssues(paths: readonly string[]): string[] {
  return paths
    .filter((path) =>
      path.trim() === "" || /^\s*[/~\\]/.test(path) || path.includes("\0") || hasParent(path)
    )
    .map((path) =>
      `constraints.allowed_paths entry ${JSON.stringify(path)} must be relative to the project, ` +
      `without "..", and not blank`
    );
}

function hasParent(path: string): boolean {
  return path.split(/[/\\]/).includes("..");
}

function identIssues(constraints: ConstraintsInput): string[] {
  const { project_id, device_id, project_path } = constraints;
  if (project_id === undefined || project_id === null) return [];
  const issues: string[] = [];
  if (!isIdent(project_id)) issues.push(identIssue("project_id", project_id));
  if (device_id === null) return issues; // Judging a recontract: the mount is already there.
  if (device_id === undefined) issues.push("constraints.device_id is required with project_id");
  else if (!isIdent(device_id)) issues.push(identIssue("device_id", device_id));
  if (project_path === undefined || project_path === null) {
    issues.push("constraints.project_path is required with project_id: the folder on this device");
  }
  return issues;
}

function identIssue(field: string, value: string): string {
  return `constraints.${field} ${JSON.stringify(value)} must match ^[a-z][a-z0-9-]{1,63}$`;
}
