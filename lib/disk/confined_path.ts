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
  if (path.includes("\0")) return undefined;
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return resolveByName(path);
    // A file where a folder should be: nothing can be there.
    return undefined;
  }
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

function resolveByName(path: string): string | undefined {
  const waiting = path.split("/").reverse();
  let at = "";
  for (let links = 0; waiting.length > 0;) {
    const name = waiting.pop();
    if (name === undefined || name === "" || name === ".") continue;
    if (name === "..") {
      at = at.slice(0, Math.max(0, at.lastIndexOf("/")));
      continue;
    }
    const next = `${at}/${name}`;
    const target = linkTarget(next);
    if (target === "unreadable") return undefined;
    if (target === undefined) {
      at = next;
      continue;
    }
    if (++links > MAX_LINKS) return undefined;
    if (target.startsWith("/")) at = "";
    waiting.push(...target.split("/").reverse());
  }
  return at === "" ? "/" : at;
}

/** The target of a link; undefined when there is none or nothing is there. */
function linkTarget(path: string): string | undefined {
  try {
    return Deno.lstatSync(path).isSymlink ? Deno.readLinkSync(path) : undefined;
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? undefined : "unreadable";
  }
}
