/**
 * The keyed hash for pseudonyms.
 *
 * @module
 */

import { createHash } from "node:crypto";

/**
 * Makes the hash of one salt.
 *
 * @param salt The secret.
 * @returns The first 12 hex digits of SHA-256(salt, text).
 */
export function keyedHash(salt: string): (text: string) => string {
  return (text) => createHash("sha256").update(salt).update(text).digest("hex").slice(0, 12);
}
