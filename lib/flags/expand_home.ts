/**
 * Expands a leading `~` in a path. Hosts start servers without a shell, so no one else does.
 *
 * @module
 */

/**
 * Replaces a leading `~` (alone or before a slash) with the home directory.
 *
 * @param path The path as given.
 * @param home The home directory; undefined when unknown.
 * @returns The path, or null when it needs a home directory that is unknown.
 */
export function expandHome(path: string, home: string | undefined): string | null {
  if (path !== "~" && !/^~[/\\]/.test(path)) return path;
  return home === undefined ? null : home + path.slice(1);
}
