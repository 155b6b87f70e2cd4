/**
 * Resolves a path: follows every symlink, and allows missing names at its end.
 *
 * `..` applies after the links before it, as in the system. A path that cannot be resolved (a
 * loop, a folder without access, NUL) is inside no root.
 *
 * @module
 */

/** More links than this count as a loop, as on Linux. */
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
 * Whether a path, once resolved, is inside a root.
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
 * Goes up only past missing names: with narrow permissions the folders above an allowed one
 * cannot be read.
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
  // After a missing name and ".." the next name may exist, and be a link.
  return next === bare ? next : resolve(next, links);
}

/** The target of a broken link; undefined for anything else. */
function linkTarget(path: string): string | undefined {
  try {
    return Deno.lstatSync(path).isSymlink ? Deno.readLinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
