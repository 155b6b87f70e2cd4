/**
 * Project folders: what counts as one, and the artifact folder inside it.
 *
 * @module
 */

import type { CallContext } from "../call/call_context.ts";
import { expandTilde, isUnixAbsolute, isWithin, join } from "../state/path_text.ts";
import { CallRefusal } from "../state/refusal.ts";

/** Name of the artifact folder; the spelling is part of the interface. */
export const ARTIFACT_DIR = "Projek-Managment";

/** Longer artifacts are refused: a reply holds several copies of the text in memory. */
const MAX_ARTIFACT_BYTES = 16 * 1024 * 1024;

/** A project's folder and its artifact folder, both real paths. */
export interface Project {
  /** The project. */
  readonly root: string;
  /** Its artifact folder, which may not exist yet. */
  readonly artifacts: string;
}

/**
 * Finds a project's real folder.
 *
 * @param ctx The call.
 * @param given The path as it came.
 * @param field Name of the argument.
 * @returns The real path, or why there is none.
 */
export function resolveProject(
  ctx: CallContext,
  given: string,
  field = "project_path",
): string | CallRefusal {
  const trimmed = given.trim();
  if (trimmed === "" || trimmed.includes("\0")) {
    return new CallRefusal("invalid_args", `${field} must not be blank or contain NUL`, { field });
  }
  const path = expandTilde(trimmed, ctx.config.userHome);
  if (!isUnixAbsolute(path)) {
    return new CallRefusal(
      "invalid_args",
      `${field} must be an absolute path: the server's own folder means nothing to you`,
      { field, expected: "absolute path", got: JSON.stringify(given) },
    );
  }
  const real = ctx.world.disk.realPath(path);
  if (real === undefined || ctx.world.disk.kind(real) !== "directory") {
    return new CallRefusal("missing_project", `${field} names no folder: "${given}"`, {
      field,
      path: given,
    });
  }
  if (real === "/") {
    return new CallRefusal(
      "path_outside_root",
      `${field} must not be the root of the file system`,
      {
        field,
      },
    );
  }
  return real;
}

/**
 * Opens a project for its artifacts.
 *
 * @param ctx The call.
 * @param given The path as it came.
 * @returns The folders, or why they cannot be used.
 */
export function openProject(ctx: CallContext, given: string): Project | CallRefusal {
  const root = resolveProject(ctx, given);
  if (root instanceof CallRefusal) return root;
  const path = join(root, ARTIFACT_DIR);
  const real = ctx.world.disk.realPath(path);
  if (real === undefined || !isWithin(root, real) || isOwnState(ctx, real)) {
    return new CallRefusal("path_outside_root", `${ARTIFACT_DIR} leads out of the project`, {
      path,
      root,
    });
  }
  const kind = ctx.world.disk.kind(real);
  if (kind !== undefined && kind !== "directory") {
    return new CallRefusal("path_outside_root", `${ARTIFACT_DIR} is no folder`, { path, root });
  }
  return { root, artifacts: real };
}

/**
 * Reads an artifact, if its real path stays in the project.
 *
 * @param ctx The call.
 * @param project The project.
 * @param name Its name, or a path below the artifact folder.
 * @returns Its text; undefined when it is missing; a refusal when it leads out, is no regular
 *   file or too large.
 */
export function readArtifact(
  ctx: CallContext,
  project: Project,
  name: string,
): string | undefined | CallRefusal {
  const path = join(project.artifacts, name);
  const real = ctx.world.disk.realPath(path);
  // The owner's folder may lie in a project: a link to it must hand nothing out.
  if (real === undefined || !isWithin(project.root, real) || isOwnState(ctx, real)) {
    return new CallRefusal("path_outside_root", `${name} leads out of the project`, {
      path,
      root: project.root,
    });
  }
  const { disk } = ctx.world;
  const size = disk.size(real);
  if (size === undefined && disk.kind(real) === undefined) return undefined;
  // A pipe would never end, and everybody would wait.
  if (size === undefined || size > MAX_ARTIFACT_BYTES) {
    const most = `${MAX_ARTIFACT_BYTES / 1024 / 1024} MiB`;
    return new CallRefusal("invalid_args", `${name} is no regular file of at most ${most}`, {
      path,
    });
  }
  const bytes = disk.read(real);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

/** Whether a real path is hai-mcp's own state or the owner's folder. */
export function isOwnState(ctx: CallContext, real: string): boolean {
  const { vault } = ctx.world;
  return isWithin(ctx.tx.home, real) || (vault.root !== "" && isWithin(vault.root, real));
}
