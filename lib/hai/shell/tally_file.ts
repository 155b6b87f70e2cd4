/**
 * The tally of a challenge, on disk: the number of wrong codes, and whether it is
 * over. It lies in the owner's folder, so that putting an older record of the
 * challenge back into the state revives nothing.
 *
 * @module
 */

import type { ChallengeTally } from "../call/call_context.ts";

/**
 * Reads a tally. An unreadable one counts as over, so that it opens no gate.
 *
 * @param path The file; missing until the first try.
 * @returns The tally.
 */
export function readTally(path: string): ChallengeTally {
  try {
    return parseTally(Deno.readTextFileSync(path));
  } catch (error) {
    return { attempts: 0, isOver: !(error instanceof Deno.errors.NotFound) };
  }
}

/**
 * Whether a text says at least what the tally on disk says.
 *
 * @param path The file.
 * @param text The new content; null removes the file.
 * @returns Whether it may be written.
 */
export function isRaised(path: string, text: string | null): boolean {
  if (text === null) return false;
  const now = readTally(path);
  const next = parseTally(text);
  return next.attempts >= now.attempts && (next.isOver || !now.isOver);
}

function parseTally(text: string): ChallengeTally {
  let note: unknown;
  try {
    note = JSON.parse(text);
  } catch {
    return { attempts: 0, isOver: true };
  }
  if (typeof note !== "object" || note === null) return { attempts: 0, isOver: true };
  const attempts = "attempts" in note && typeof note.attempts === "number" ? note.attempts : 0;
  return { attempts, isOver: !("over" in note) || note.over !== false };
}
