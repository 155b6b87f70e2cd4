/**
 * Judges the paths of an activity: where each really leads, and whether that
 * was agreed. A path that cannot be resolved is outside.
 *
 * @module
 */

import { isAllowed, type JudgedPath } from "./activity.ts";
import type { CallContext } from "../call/call_context.ts";
import {
  expandTilde,
  isOthersHome,
  isUnixAbsolute,
  isWithin,
  join,
  relativeTo,
} from "../state/path_text.ts";
import { isOwnState } from "./projects.ts";

/** A longer path is not looked at, as in the system. */
const MAX_PATH_CHARS = 4096;

/** Names of all paths of a call: each may cost a look at the disk, and other calls wait. */
const MAX_NAMES = 20_000;

/** The rules for paths. */
interface PathRules {
  /** Real path of the project; undefined when the mission has none. */
  readonly root: string | undefined;
  /** Allowed prefixes below it; none allows everything. */
  readonly allowed: readonly string[];
}

/**
 * Judges paths.
 *
 * @param ctx The call.
 * @param paths The paths as they came.
 * @param rules The rules.
 * @returns Each path with why it is outside, or null.
 */
export function judgePaths(
  ctx: CallContext,
  paths: readonly string[],
  rules: PathRules,
): JudgedPath[] {
  let names = 0;
  return paths.map((path) => {
    names += path.split("/").length;
    const outside = path.length > MAX_PATH_CHARS
      ? `it has more than ${MAX_PATH_CHARS} characters`
      : names > MAX_NAMES
      ? `the paths of this call have more than ${MAX_NAMES} names together`
      : whyOutside(ctx, path, rules);
    return { path, outside };
  });
}

function whyOutside(ctx: CallContext, path: string, rules: PathRules): string | null {
  if (path === "") return null;
  if (path.includes("\0")) return "it contains NUL";
  const { root, allowed } = rules;
  if (root === undefined) return "the mission has no project folder on this device";
  if (isOthersHome(path)) return "it is in the home of another user";
  const expanded = expandTilde(path, ctx.config.userHome);
  const real = ctx.world.disk.realPath(isUnixAbsolute(expanded) ? expanded : join(root, expanded));
  if (real === undefined) return "it cannot be resolved";
  if (!isWithin(root, real)) return "it leads out of the project";
  if (isOwnState(ctx, real)) return "it is hai-mcp's own state";
  return isAllowed(relativeTo(root, real), allowed) ? null : `allowed are ${allowed.join(", ")}`;
}
