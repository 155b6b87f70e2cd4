/**
 * Names of files of which each session has its own: `{session}` in them stands
 * for the host session, else for the session's own id.
 *
 * A host may say what its session is called, so a name goes into a path only in
 * a form that is one part of it: what is no letter, digit, `-`, `_` or `.` is
 * written as `%XX`, as is a `.` at the start. Different names stay different.
 *
 * @module
 */

const MARK = "{session}";
/** Longest form of a name in a path; file systems take 255 bytes, and more stands around it. */
const MAX_LENGTH = 160;
const encoder = new TextEncoder();

/** How a file is used. */
export interface FileUse {
  /** Whether each session reads it as its own, or all append lines to it. */
  readonly use: "read" | "append";
  /** Whether the program may have more than one session. */
  readonly hasManySessions: boolean;
}

/**
 * Why a file name cannot be used.
 *
 * A file that sessions append lines to may be shared. One that is read as a session's own, such as
 * a conversation, may not: a session would be judged by what was said in another.
 *
 * @param template The file name, as given.
 * @param use How the file is used.
 * @returns The reason, in words that follow the name; undefined when it can be used.
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
 * The file of one session.
 *
 * @param template The file name, as given.
 * @param session The host session, else the session's own id.
 * @returns The name of the session's file.
 */
export function expandSession(template: string, session: string): string {
  return template.split(MARK).join(pathPart(session));
}

/**
 * The folder that holds the files of all sessions.
 *
 * @param template The file name, as given.
 * @returns The folder before the first part of its path that has a session's name in it;
 *   undefined when the name has none.
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
