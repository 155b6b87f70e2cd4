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

/** A path with more names is not resolved; systems end at 4096 bytes. */
const MAX_NAMES = 2048;

/**
 * Resolves a path.
 *
 * @param path An absolute path; the last names may be missing.
 * @returns The real path; undefined when it cannot be resolved.
 */
export function realPathOf(path: string): string | undefined {
  if (path.includes("\0") || !path.startsWith("/")) return undefined;
  return resolve(path);
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
 * Walks the names once, with at most one look at the disk a name: below a missing name nothing is
 * looked at. Folders that may not be read, with narrow permissions, are passed over until one may be,
 * whose real path then stands for all of them.
 */
function resolve(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    // A loop, no access, or a file where a folder should be.
    if (!(error instanceof Deno.errors.NotFound)) return undefined;
  }
  const names = path.split("/");
  if (names.length > MAX_NAMES) return undefined;
  names.reverse();
  let real: string[] = [];
  let missing = 0;
  let links = 0;
  let isBlind = false;
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      real.pop();
      missing = Math.max(0, missing - 1);
      continue;
    }
    real.push(name);
    if (missing > 0) {
      missing++;
      continue;
    }
    const found = lookAt(`/${real.join("/")}`, isBlind);
    if (found.kind === "fault") return undefined;
    isBlind = found.kind === "blind";
    if (found.kind === "missing") missing = 1;
    else if (found.kind === "real") real = found.names;
    else if (found.kind === "link") {
      if (++links > MAX_LINKS || names.length > MAX_NAMES) return undefined;
      if (found.target.startsWith("/")) real = [];
      else real.pop();
      names.push(...found.target.split("/").reverse());
    }
  }
  return isBlind ? undefined : `/${real.join("/")}`;
}

type Found =
  | { readonly kind: "there" | "missing" | "blind" | "fault" }
  | { readonly kind: "real"; readonly names: string[] }
  | { readonly kind: "link"; readonly target: string };

/** Looks at one path whose folder is real; after folders that may not be read, its real path counts. */
function lookAt(path: string, isBlind: boolean): Found {
  try {
    if (isBlind) return { kind: "real", names: Deno.realPathSync(path).slice(1).split("/") };
    const { isSymlink } = Deno.lstatSync(path);
    return isSymlink ? { kind: "link", target: Deno.readLinkSync(path) } : { kind: "there" };
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return { kind: "blind" };
    if (!(error instanceof Deno.errors.NotFound)) return { kind: "fault" };
    return { kind: isBlind ? "fault" : "missing" };
  }
}
