/**
 * Files of the owner's own practice: where they may lie, and as evidence.
 *
 * @module
 */

import type { CallContext } from "../call/call_context.ts";
import { isOwnState } from "../mission/projects.ts";
import { Hashing } from "../mission/proof.ts";
import { expandTilde, isUnixAbsolute, isWithin, join } from "../state/path_text.ts";
import { CallRefusal } from "../state/refusal.ts";

/**
 * Finds the real path of a file below the evidence root.
 *
 * @param ctx The call.
 * @param field Name of the argument.
 * @param given The path as it came.
 * @returns The real path, or why it may not be used.
 */
export function studyPath(ctx: CallContext, field: string, given: string): string | CallRefusal {
  const refuse = (message: string) =>
    new CallRefusal("invalid_args", message, { field, path: given });
  const { evidenceRoot, userHome } = ctx.config;
  const { disk } = ctx.world;
  if (given.trim() === "" || given.includes("\0")) {
    return refuse(`${field} must not be blank or contain NUL`);
  }
  const root = evidenceRoot === undefined ? undefined : disk.realPath(evidenceRoot);
  if (root === undefined || disk.kind(root) !== "directory") {
    return refuse("HAI_LEARNING_EVIDENCE_ROOT names no folder, so there is no place for evidence");
  }
  const expanded = expandTilde(given.trim(), userHome);
  const path = isUnixAbsolute(expanded) ? expanded : join(root, expanded);
  if (disk.kind(path) === "symlink") return refuse(`${field} is a symlink`);
  const real = disk.realPath(path);
  if (real === undefined || !isWithin(root, real) || isOwnState(ctx, real)) {
    return refuse(`${field} leads out of the evidence root`);
  }
  return real;
}

/**
 * Hashes the evidence of a learning block.
 *
 * @param ctx The call.
 * @param paths The files as they came.
 * @returns Path, hash and size of each, or why one does not count.
 */
export function studyEvidence(ctx: CallContext, paths: readonly string[]) {
  const evidence: { path: string; sha256: string; bytes: number }[] = [];
  const hashing = new Hashing(ctx.world.disk);
  for (const given of paths) {
    const path = studyPath(ctx, "evidence_paths", given);
    if (path instanceof CallRefusal) return path;
    const facts = hashing.facts(path);
    if (facts === undefined || facts === "too much" || facts.bytes === 0) {
      return new CallRefusal(
        "invalid_args",
        `evidence must be regular files with content, at most 1 GiB in all: "${given}"`,
        {
          field: "evidence_paths",
          path: given,
        },
      );
    }
    evidence.push({ path, sha256: `sha256:${facts.sha256}`, bytes: facts.bytes });
  }
  return evidence;
}
