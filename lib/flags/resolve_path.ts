/**
 * Resolves a path as a person or a configuration writes it.
 *
 * @module
 */

/**
 * A path as it is opened: `~`, `%APPDATA%` and relative paths resolved.
 *
 * @param path The path as given.
 * @param machine The folder that relative paths start from.
 * @param env Environment variables.
 * @returns The path; undefined when it needs a folder that is unknown.
 */
export function resolvePath(
  path: string,
  { cwd }: { readonly cwd: string },
  env: (name: string) => string | undefined,
): string | undefined {
  const [, start, rest = ""] = /^(~|%APPDATA%)([/\\].*)?$/.exec(path) ?? [];
  if (start !== undefined) {
    const base = start === "~" ? env("HOME") ?? env("USERPROFILE") : env("APPDATA");
    return base === undefined ? undefined : base + rest;
  }
  return isAbsolute(path) ? path : `${cwd}/${path.replace(/^\.\//, "")}`;
}

/** Whether a path starts at a root, on either kind of system. */
export function isAbsolute(path: string): boolean {
  return /^(?:[/\\]|[A-Za-z]:[/\\])/.test(path);
}
