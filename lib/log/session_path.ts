/**
 * Paths with the session's name in them: a file for each session.
 *
 * @module
 */

/**
 * Puts a session's name into a path.
 *
 * @param path The path; `{session}` in it stands for the name.
 * @param session The name, as whoever gave it spelled it.
 * @returns The path. What is no letter, digit, `_`, `-` or inner `.` of the name is `_` in it, so that no
 * name leads to another folder.
 */
export function sessionPath(path: string, session: string): string {
  const name = session.replace(/[^\w.-]|^\.+/g, "_");
  return path.replaceAll("{session}", () => name);
}
