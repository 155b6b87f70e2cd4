/**
 * Paths as text: joining and comparing, with no look at the disk.
 *
 * @module
 */

/** Joins a folder and names below it. */
export function join(dir: string, ...names: readonly string[]): string {
  return [dir.replace(/\/+$/, ""), ...names].join("/");
}

/** Whether a path is absolute, on any system. */
export function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path);
}

/** Whether a path is a root or lies below it; both already resolved. */
export function isWithin(root: string, path: string): boolean {
  const base = root.replace(/[\\/]+$/, "");
  return path === root || path === base || path.startsWith(`${base}/`) ||
    path.startsWith(`${base}\\`);
}

/** The part of a path below a root, with `/`; empty for the root itself. */
export function relativeTo(root: string, path: string): string {
  const base = root.replace(/[\\/]+$/, "");
  return path.slice(base.length).replaceAll("\\", "/").replace(/^\/+/, "");
}

/** The folder a path stands in. */
export function parentOf(path: string): string {
  const cut = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  return cut <= 0 ? path.slice(0, 1) : path.slice(0, cut);
}

/** The last name of a path. */
export function nameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/** Replaces a leading `~` by the user's home; other users' homes stay text. */
export function expandHome(path: string, userHome: string): string {
  return path === "~" ? userHome : path.startsWith("~/") ? join(userHome, path.slice(2)) : path;
}
