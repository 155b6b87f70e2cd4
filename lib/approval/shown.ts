/**
 * What a person is shown of a held call: everything, safe for a terminal and a page.
 *
 * @module
 */

import { canonicalJson } from "../json/canonical_json.ts";
import { plainText } from "../text/plain_text.ts";
import type { HeldCall } from "./held_call.ts";

/** The most characters of a message of the conversation. */
const MAX_SAID = 600;
/** How deep arguments may be nested to be shown a member a line. */
const MAX_DEPTH = 50;

/**
 * One line on a held call.
 *
 * @param held The call.
 * @returns Id, tool, server, reasons.
 */
export function heldLine(held: HeldCall): string {
  return plainText(`${held.id}  ${held.tool}  on ${held.server}  ${reasonsOf(held)}`)
    .replaceAll("\n", " ");
}

/**
 * Everything about a held call. What a terminal would obey, and what hides or reorders letters,
 * is shown as `<U+XXXX>`.
 *
 * @param held The call.
 * @returns Lines.
 */
export function heldLines(held: HeldCall): string[] {
  const { said } = held;
  return [
    `call:      ${held.id}`,
    `tool:      ${held.tool}`,
    `server:    ${held.server}`,
    `session:   ${held.session}${held.by === "agent" ? "" : `, made by ${held.by}`}`,
    `rules:     ${held.rules.file}`,
    `until:     ${new Date(held.expires_unix_ms).toISOString().replace(/\.\d+Z$/, "Z")}`,
    ...held.why.map(({ rule, reason }) => `why:       ${reason} (${rule})`),
    ...held.known.map(({ rule, verdict }) => `known:     ${rule} says ${verdict}`),
    ...(said === undefined ? [] : [
      `agent:     ${cut(said.agent)}`,
      `user:      ${cut(said.user)}`,
    ]),
    "arguments:",
    ...argumentLines(held.arguments),
  ].map((line) => plainText(line).replaceAll("\n", "\n           "));
}

/** The reasons of a held call, one text. */
export function reasonsOf({ why }: Pick<HeldCall, "why">): string {
  return [...new Set(why.map(({ reason }) => reason))].join("; ");
}

/** Arguments, one member a line; as they were written where that would change a number. */
function argumentLines(text: string): string[] {
  const isPlain = depthOf(text) <= MAX_DEPTH && canonicalJson(JSON.parse(text)) === text;
  const shown = isPlain ? JSON.stringify(JSON.parse(text), null, 2) : text;
  return shown.split("\n").map((line) => `  ${line}`);
}

/** How deep a JSON text is nested: indenting a deep one would make it endless. */
function depthOf(text: string): number {
  let [depth, most] = [0, 0];
  for (const bracket of text.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").match(/[[\]{}]/g) ?? []) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    most = Math.max(most, depth);
  }
  return most;
}

function cut(text: string): string {
  return text.length > MAX_SAID ? `…${text.slice(-MAX_SAID)}` : text;
}
