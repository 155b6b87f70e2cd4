/**
 * One-time codes: eight symbols that cannot be mistaken for one another.
 *
 * @module
 */

import type { Random } from "../state/ids.ts";

/** No 0, O, 1, I or L. */
const ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";
const LENGTH = 8;

/**
 * Draws a code. Bytes that would favour some symbols are drawn again.
 *
 * @param random Chance.
 * @returns Eight symbols, without the hyphen.
 */
export function drawCode(random: Random): string {
  const fair = 256 - (256 % ALPHABET.length);
  let code = "";
  while (code.length < LENGTH) {
    for (const byte of random(LENGTH)) {
      if (byte < fair && code.length < LENGTH) code += ALPHABET[byte % ALPHABET.length];
    }
  }
  return code;
}

/**
 * Reads a code as people write it: any case, any separators.
 *
 * @param given The text as received.
 * @returns Eight symbols; undefined when it cannot be a code.
 */
export function normalizeCode(given: unknown): string | undefined {
  if (typeof given !== "string" || given.length > 100) return undefined;
  const code = given.toUpperCase().replace(/[^\p{L}\p{N}]/gu, "");
  const isCode = code.length === LENGTH && [...code].every((symbol) => ALPHABET.includes(symbol));
  return isCode ? code : undefined;
}

/** A code as it is shown and hashed: `XXXX-XXXX`. */
export function codeText(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
