/**
 * Normalizes paths as text. Does not read the disk, so symbolic links stay unresolved.
 *
 * @module
 */

/**
 * Removes `.`, `..`, doubled and trailing slashes; backslashes count as slashes.
 *
 * @param path Any path.
 * @returns The normalized path. A `..` that leads above the start of a relative path stays.
 */
export function plainPath(path: string): string {
  const slashed = path.replaceAll("\\", "/");
  const isAbsolute = slashed.startsWith("/");
  const parts: string[] = [];
  for (const part of slashed.split("/")) {
    if (part === "" || part === ".") continue;
    const last = parts.at(-1);
    if (part !== "..") parts.push(part);
    else if (last !== undefined && last !== "..") parts.pop();
    else if (!isAbsolute) parts.push("..");
  }
  return (isAbsolute ? "/" : "") + parts.join("/") || ".";
}

/** Whether a path lies inside a folder; false for the folder itself. */
export function insideFolder(path: string, folder: string): boolean {
  const base = plainPath(folder);
  return plainPath(path).startsWith(base === "/" ? base : `${base}/`);
}
