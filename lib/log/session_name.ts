/**
 * Expands `{session}` in file names to the host session, else to the session's id.
 *
 * A host names its own session, so the name is escaped to be one path segment:
 * every byte but letters, digits, `-`, `_` and `.` becomes `%XX`, and so does a
 * `.` at the start. Different names stay different.
 *
 * @module
 */

const MARK = "{session}";
/** Longest escaped name; file systems allow 255 bytes for the whole segment. */
const MAX_LENGTH = 160;
const encoder = new TextEncoder();

/** How sessions use a file. */
export interface FileUse {
  /** `read`: each session reads its own file. `append`: sessions append lines to it. */
  readonly use: "read" | "append";
  /** Whether the program may run several sessions. */
  readonly hasManySessions: boolean;
}

/**
 * Checks a file name.
 *
 * Sessions may share a file that they append to. They must not share a file that they read, such as
 * a conversation: one session would be judged by another's words.
 *
 * @param template The file name, as given.
 * @param use How the file is used.
 * @returns The fault, worded to follow the name; undefined when the name is usable.
 */
export function sessionFileFault(template: string, use: FileUse): string | undefined {
  if (/[{}]/.test(template.replaceAll(MARK, ""))) {
    return `has a brace that is not of ${MARK}`;
  }
  return use.use === "read" && use.hasManySessions && !template.includes(MARK)
    ? `must have ${MARK} in it: with --listen each session reads a file of its own`
    : undefined;
}

/**
 * Expands a file name for one session.
 *
 * @param template The file name, as given.
 * @param session The host session, else the session's own id.
 * @returns The name of the session's file.
 */
export function expandSession(template: string, session: string): string {
  return template.split(MARK).join(pathPart(session));
}

/**
 * Finds the folder of all sessions' files.
 *
 * @param template The file name, as given.
 * @returns The folder above the first path segment with `{session}`; undefined when the name has
 *   no `{session}`.
 */
export function sessionsFolder(template: string): string | undefined {
  const start = template.indexOf(MARK);
  if (start < 0) return undefined;
  return template.slice(0, start).replace(/(?<=.)[/\\][^/\\]*$|^[^/\\]*$/, "") || ".";
}

function pathPart(session: string): string {
  let part = "";
  for (const byte of encoder.encode(session)) {
    const char = String.fromCharCode(byte);
    const isPlain = /[\w-]/.test(char) || (char === "." && part !== "");
    const next = isPlain ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    if (part.length + next.length > MAX_LENGTH) break;
    part += next;
  }
  return part;
}
