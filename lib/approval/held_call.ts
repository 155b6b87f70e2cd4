/**
 * A call that waits for a person, as a proxy puts it into the folder of approvals, and the
 * fingerprint that binds an answer to exactly this call.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { z } from "zod";
import { canonicalJson } from "../json/canonical_json.ts";

/** The most calls that wait at once in one proxy. */
export const MAX_HELD = 100;
/** The longest arguments, in characters, that a person can be asked about. */
export const MAX_ARGUMENTS = 65_536;
/** How long a call waits for a yes after the agent was told, and how long a yes holds. */
export const APPROVAL_MS = 600_000;

const HEX = /^[0-9a-f]+$/;
const why = z.strictObject({ rule: z.string(), reason: z.string() });
const said = z.strictObject({ user: z.string(), agent: z.string() });

const content = z.strictObject({
  hoist_approval: z.literal(1),
  /** Its name among those of the folder. */
  id: z.string().regex(/^[0-9a-f]{12}$/),
  /** The server, as the proxy knows it. */
  server: z.string(),
  /** The session, its log's name if there is one. */
  session: z.string(),
  tool: z.string(),
  /** The arguments as JSON text: canonical, or as written where that would lose a number. */
  arguments: z.string(),
  /** Who makes the call: `agent`, or an interceptor such as `commit`. */
  by: z.string(),
  /** The rules that want a yes, and their reasons. */
  why: z.array(why),
  /** What other rules say of the call. */
  known: z.array(z.strictObject({ rule: z.string(), verdict: z.string() })),
  /** The end of the conversation; absent when it is not known. */
  said: said.optional(),
  /** The rule file, and the SHA-256 of its text. */
  rules: z.strictObject({ file: z.string(), sha256: z.string().regex(HEX) }),
  asked_unix_ms: z.int().nonnegative(),
  /** From then on no answer counts. */
  expires_unix_ms: z.int().nonnegative(),
});

const file = content.extend({
  /** A secret of this call alone: an answer is sealed with it. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
});

/** A call that waits: what a person is shown. */
export type HeldCall = z.infer<typeof content>;

/** A held call with the key that seals its answer. */
export type KeyedCall = z.infer<typeof file>;

/**
 * The fingerprint of a held call: an answer carries that of the call that was shown.
 *
 * @param held The call.
 * @returns SHA-256 in hex of everything in it.
 */
export function fingerprintOf(held: HeldCall): string {
  return createHash("sha256").update(canonicalJson(held), "utf8").digest("hex");
}

/**
 * Prints the file of a held call.
 *
 * @param held The call.
 * @returns One line.
 */
export function printHeld(held: KeyedCall): string {
  return JSON.stringify(held) + "\n";
}

/**
 * Reads the file of a held call.
 *
 * @param text Its text.
 * @returns The call, and apart from it its key; undefined when it is none.
 */
export function readHeld(text: string): { call: HeldCall; key: string } | undefined {
  try {
    const { key, ...call } = file.parse(JSON.parse(text));
    return { call, key };
  } catch {
    return undefined;
  }
}
