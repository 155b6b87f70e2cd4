/**
 * The arguments of a call as text that a person can be shown and an answer can be bound to.
 *
 * @module
 */

import { canonicalJson } from "../json/canonical_json.ts";

/** A string, which may hold digits, or a number. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * Arguments in one spelling: equal for calls that every server reads alike.
 *
 * @param text Their JSON text, as the agent wrote it.
 * @returns Canonical JSON; the text itself where that would change a number, such as one that
 *   no double holds.
 */
export function canonicalArguments(text: string): string {
  for (const [token] of text.matchAll(TOKEN)) {
    if (!token.startsWith('"') && String(Number(token)) !== token) return text.trim();
  }
  return canonicalJson(JSON.parse(text));
}
