/**
 * A leading `~` in a path, for programs that a host starts without a shell.
 *
 * @module
 */

/**
 * Puts the home folder in place of a leading `~`.
 *
 * @param path A path as given.
 * @param home The home folder; undefined when unknown.
 * @returns The path; unchanged when it does not start with `~/` or home is unknown. Another
 * user's home (`~name`) is left to shells.
 */
export function expandHome(path: string, home: string | undefined): string {
  if (home === undefined || (path !== "~" && !/^~[/\\]/.test(path))) return path;
  return home.replace(/(?<=.)[/\\]+$/, "") + path.slice(1);
}
