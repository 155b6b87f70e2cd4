/**
 * Evidence per criterion: a real file inside the project, not empty, written
 * since the mission was opened, and with the hash it was said to have.
 *
 * A file from before the mission counts only with a stated reason, which is
 * kept. The content of the file is not judged.
 *
 * @module
 */

import type { CallContext } from "../call/call_context.ts";
import type { Disk, FileFacts } from "../state/disk_port.ts";
import { stampSeconds } from "../state/ids.ts";
import { expandTilde, isUnixAbsolute, isWithin, join } from "../state/path_text.ts";
import { isOwnState } from "./projects.ts";
import type { Contract } from "../state/records.ts";
import type { ToolReply } from "../state/refusal.ts";
import { byCodePoint } from "../state/state_json.ts";

/** Most bytes that one call hashes: other calls wait for it. */
const MAX_EVIDENCE_BYTES = 1024 ** 3;

/** Hashes files, each once, up to a limit in all. */
export class Hashing {
  readonly #disk: Disk;
  readonly #known = new Map<string, FileFacts>();
  #left: number;

  /**
   * Begins for one call.
   *
   * @param disk The disk.
   * @param most Bytes of all files together.
   */
  constructor(disk: Disk, most = MAX_EVIDENCE_BYTES) {
    this.#disk = disk;
    this.#left = most;
  }

  /**
   * Hash, size and age of a file.
   *
   * @param real Its real path.
   * @returns The facts; undefined when it is no readable regular file, or too much with the others.
   */
  facts(real: string): FileFacts | "too much" | undefined {
    const known = this.#known.get(real);
    if (known !== undefined) return known;
    const size = this.#disk.size(real);
    if (size === undefined || this.#disk.kind(real) !== "file") return undefined;
    if (size > this.#left) return "too much";
    this.#left -= size;
    const facts = this.#disk.facts(real);
    if (facts !== undefined) this.#known.set(real, facts);
    return facts;
  }
}

/** Evidence as a caller states it. */
export interface EvidenceInput {
  readonly path?: string | null | undefined;
  readonly sha256?: string | null | undefined;
  readonly stale_reason?: string | null | undefined;
  readonly exit_code?: number | null | undefined;
}

/** The verdict on the evidence. */
export interface Proof {
  /** Criteria with verified evidence. */
  readonly verified: ToolReply;
  /** Criteria without. */
  readonly missing: readonly string[];
  /** Why, for those where something was given. */
  readonly invalid: readonly ToolReply[];
  /** Things a reader should know that are no faults. */
  readonly warnings: readonly string[];
}

/** The rules for evidence. */
interface ProofRules {
  readonly contract: Contract;
  /** Real path of the project; undefined when there is none. */
  readonly root: string | undefined;
}

/**
 * Judges the evidence of a mission.
 *
 * @param ctx The call.
 * @param evidence Evidence by criterion id.
 * @param rules The rules.
 * @returns What is proven and what is not.
 */
export function judgeEvidence(
  ctx: CallContext,
  evidence: Readonly<Record<string, EvidenceInput>>,
  rules: ProofRules,
): Proof {
  const hashing = new Hashing(ctx.world.disk);
  const verified: [string, ToolReply][] = [];
  const missing: string[] = [];
  const invalid: ToolReply[] = [];
  for (const { id } of rules.contract.done_criteria) {
    const given = Object.hasOwn(evidence, id) ? evidence[id] : undefined;
    const judged = given === undefined ? undefined : judgeItem(ctx, given, { ...rules, hashing });
    if (judged === undefined || "error" in judged) missing.push(id);
    else verified.push([id, judged]);
    if (judged !== undefined && "error" in judged) invalid.push({ criterion_id: id, ...judged });
  }
  return {
    verified: Object.fromEntries(verified),
    missing,
    invalid,
    warnings: [
      ...sharedFiles(verified),
      ...Object.keys(evidence)
        .filter((id) => !rules.contract.done_criteria.some((criterion) => criterion.id === id))
        .sort(byCodePoint)
        .map((id) => `"${id}" is no criterion of this contract; its evidence was not looked at`),
    ],
  };
}

interface ItemRules extends ProofRules {
  readonly hashing: Hashing;
}

function judgeItem(ctx: CallContext, given: EvidenceInput, rules: ItemRules): ToolReply {
  const { root } = rules;
  const path = given.path ?? "";
  if (path.trim() === "" || path.includes("\0")) {
    return fault(
      "invalid_args",
      'evidence needs "path", the file that shows it, such as a test log',
    );
  }
  if (typeof given.exit_code === "number" && given.exit_code !== 0) {
    return fault("invalid_args", `exit_code ${given.exit_code} is evidence of a failure`);
  }
  if (root === undefined) {
    return fault(
      "invalid_args",
      "the mission has no project folder, so no file can be checked; " +
        "recontract constraints.project_path",
      { path },
    );
  }
  const expanded = expandTilde(path, ctx.config.userHome);
  const absolute = isUnixAbsolute(expanded) ? expanded : join(root, expanded);
  const real = ctx.world.disk.realPath(absolute);
  if (real === undefined || !isWithin(root, real) || isOwnState(ctx, real)) {
    const isLink = ctx.world.disk.kind(absolute) === "symlink";
    const why = isLink ? "is a symlink that leads" : "leads";
    return fault("path_outside_root", `evidence ${why} out of the project`, { path, root });
  }
  return judgeFile(ctx, { ...given, path, real }, rules);
}

interface RealEvidence extends EvidenceInput {
  readonly path: string;
  readonly real: string;
}

function judgeFile(ctx: CallContext, given: RealEvidence, rules: ItemRules): ToolReply {
  const { path, real } = given;
  const kind = ctx.world.disk.kind(real);
  if (kind === "directory") return fault("invalid_args", "evidence is a directory", { path });
  const facts = rules.hashing.facts(real);
  if (facts === "too much") {
    return fault("invalid_args", "all evidence has more than 1 GiB; name smaller files", { path });
  }
  if (facts === undefined) {
    return fault("invalid_args", "evidence is no readable regular file", { path });
  }
  if (facts.bytes === 0) return fault("evidence_empty", "evidence is an empty file", { path });
  const sha256 = `sha256:${facts.sha256}`;
  const expected = given.sha256 ?? sha256;
  if (expected.toLowerCase().replace(/^sha256:/, "") !== facts.sha256) {
    return fault("evidence_changed", "evidence does not have the stated hash", {
      path,
      expected,
      got: sha256,
    });
  }
  const openedMs = stampSeconds(rules.contract.created_at) * 1000;
  if (facts.modifiedMs >= openedMs) return { path: real, sha256 };
  const reason = given.stale_reason?.trim() ?? "";
  if (reason !== "") return { path: real, sha256, stale: true, stale_reason: reason };
  return fault(
    "evidence_stale",
    "evidence was last written before the mission was opened; make it anew, or say in " +
      "stale_reason why the old file still shows it",
    { path },
  );
}

function sharedFiles(verified: readonly [string, ToolReply][]): string[] {
  const byPath = new Map<unknown, string[]>();
  for (const [id, item] of verified) byPath.set(item.path, [...(byPath.get(item.path) ?? []), id]);
  return [...byPath.entries()]
    .filter(([, ids]) => ids.length > 1)
    .map(([path, ids]) => `one file is the evidence for ${ids.join(", ")}: ${path}`);
}

function fault(error: string, message: string, more: ToolReply = {}): ToolReply {
  return { error, message, ...more };
}
