/**
 * Where a path really leads: every symlink followed, a missing tail allowed.
 *
 * `..` is taken after the links before it, as the system does. What cannot be
 * resolved (a loop, a folder without access, NUL) has no real path, and a path
 * without one is inside no root.
 *
 * @module
 */

/** More links than this are a loop, as on Linux. */
const MAX_LINKS = 40;

/**
 * Resolves a path.
 *
 * @param path An absolute path; the last names may be missing.
 * @returns The real path; undefined when it cannot be resolved.
 */
export function realPathOf(path: string): string | undefined {
  if (path.includes("\0") || !path.startsWith("/")) return undefined;
  return resolve(path, 0);
}

/**
 * Whether a path really lies in a root.
 *
 * @param root Real path of the root.
 * @param path An absolute path.
 * @returns Whether it does; false when it cannot be resolved.
 */
export function isConfined(root: string, path: string): boolean {
  const real = realPathOf(path);
  return real !== undefined && (real === root || real.startsWith(root.replace(/\/*$/, "/")));
}

/**
 * Goes up only as far as something is missing: with narrow permissions the
 * folders above an allowed one may not be looked at.
 */
function resolve(path: string, links: number): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    // A loop, no access, or a file where a folder should be.
    if (!(error instanceof Deno.errors.NotFound)) return undefined;
  }
  const bare = path.replace(/\/+$/, "");
  const cut = bare.lastIndexOf("/");
  const folder = bare.slice(0, Math.max(1, cut));
  const name = bare.slice(cut + 1);
  const target = linkTarget(bare);
  if (target !== undefined) {
    if (links >= MAX_LINKS) return undefined;
    return resolve(target.startsWith("/") ? target : `${folder}/${target}`, links + 1);
  }
  const parent = resolve(folder, links);
  if (parent === undefined || name === ".") return parent;
  if (name === "..") return parent.slice(0, Math.max(1, parent.lastIndexOf("/")));
  const next = `${parent === "/" ? "" : parent}/${name}`;
  // After a missing name and "..", what follows may be there again, and be a link.
  return next === bare ? next : resolve(next, links);
}

/** The target of a link that leads nowhere; undefined when it is none. */
function linkTarget(path: string): string | undefined {
  try {
    return Deno.lstatSync(path).isSymlink ? Deno.readLinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
