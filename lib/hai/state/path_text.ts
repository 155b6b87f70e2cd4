/**
 * Paths as text: joining and comparing, with no look at the disk. Paths are those
 * of Unix: a backslash is a letter like any other.
 *
 * @module
 */

/** Joins a folder and names below it. */
export function join(dir: string, ...names: readonly string[]): string {
  return [dir.replace(/\/+$/, ""), ...names].join("/");
}

/** Whether a path is absolute. */
export function isUnixAbsolute(path: string): boolean {
  return path.startsWith("/");
}

/** Whether a path is a root or lies below it; both already resolved. */
export function isWithin(root: string, path: string): boolean {
  const base = root.replace(/\/+$/, "");
  return path === root || path === base || path.startsWith(`${base}/`);
}

/** The part of a path below a root; empty for the root itself. */
export function relativeTo(root: string, path: string): string {
  return path.slice(root.replace(/\/+$/, "").length).replace(/^\/+/, "");
}

/** The parent folder of a path. */
export function parentOf(path: string): string {
  const cut = path.lastIndexOf("/");
  return cut <= 0 ? path.slice(0, 1) : path.slice(0, cut);
}

/** The last name of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Whether a path starts in the home of another user, as a shell would read it. */
export function isOthersHome(path: string): boolean {
  return /^~[^/]/.test(path);
}

/** Replaces a leading `~` by the user's home; other users' homes stay text. */
export function expandTilde(path: string, userHome: string): string {
  return path === "~" ? userHome : path.startsWith("~/") ? join(userHome, path.slice(2)) : path;
}
