/**
 * The tally of a challenge, on disk: the number of wrong codes, and whether it is
 * over. It lies in the owner's folder, so that putting an older record of the
 * challenge back into the state revives nothing.
 *
 * @module
 */

import { z } from "zod";
import type { AskedChange, ChallengeTally } from "../call/call_context.ts";
import { nameStamp } from "../state/ids.ts";

const ASKED = z.looseObject({
  challenge_id: z.string(),
  action: z.string(),
  subject: z.string(),
  created_ts: z.number(),
  expires_ts: z.number(),
  answer: z.enum(["none", "approved", "denied"]),
});

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

/** Tallies of ids from this long ago are read: the longest approval, and a day for time zones. */
const RECENT_DAYS = 8;

/**
 * Reads what the owner was asked lately.
 *
 * @param dir Folder of the tallies.
 * @param unixMs Now.
 * @returns The requests; unreadable tallies are left out.
 */
export function readRecentlyAsked(dir: string, unixMs: number): AskedChange[] {
  const first = nameStamp(unixMs - RECENT_DAYS * 86_400_000);
  let names: string[];
  try {
    names = [...Deno.readDirSync(dir)].map((entry) => entry.name);
  } catch {
    return []; // Nothing was asked yet.
  }
  return names
    .filter((name) => name.startsWith("C-") && name.slice(2) >= first)
    .flatMap((name) => readTally(`${dir}/${name}`).asked ?? []);
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
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { attempts: 0, isOver: true };
  }
  if (typeof value !== "object" || value === null) return { attempts: 0, isOver: true };
  const { attempts, over } = value as Partial<Record<string, unknown>>;
  const asked = ASKED.safeParse(value);
  return {
    attempts: typeof attempts === "number" ? attempts : 0,
    isOver: over !== false,
    asked: asked.success
      ? {
        challengeId: asked.data.challenge_id,
        action: asked.data.action,
        subject: asked.data.subject,
        createdSeconds: asked.data.created_ts,
        expiresSeconds: asked.data.expires_ts,
        answer: asked.data.answer,
      }
      : undefined,
  };
}
