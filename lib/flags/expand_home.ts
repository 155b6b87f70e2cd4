/**
 * A leading `~` in a path, which hosts pass on as it is since they start
 * servers without a shell.
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
