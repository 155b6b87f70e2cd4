/**
 * Paths as text, without the tricks: what `..`, `.` and doubled slashes amount to.
 *
 * Symbolic links are the server's business; nobody asks the disk here.
 *
 * @module
 */

/**
 * A path without `.`, `..`, doubled or closing slashes; backslashes count as slashes.
 *
 * @param path Any path.
 * @returns The same place. A `..` that leads above the start of a relative path stays.
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

/** Whether a path stands inside a folder; the folder itself does not. */
export function insideFolder(path: string, folder: string): boolean {
  const base = plainPath(folder);
  return plainPath(path).startsWith(base === "/" ? base : `${base}/`);
}
