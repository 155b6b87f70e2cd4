/**
 * Words of the owner: verdicts, and how a request is named.
 *
 * @module
 */

import type { OwnerDecision } from "../../hai/owner/owner_desk.ts";
import type { RequestView } from "../../hai/desk/request_view.ts";

/** The verdict of each word. */
export const VERDICTS: Readonly<Partial<Record<string, OwnerDecision["verdict"]>>> = {
  approve: "approved",
  deny: "denied",
  later: "later",
  undo: "pending",
};

/** A shorter ending could fit a request by chance. */
const MIN_TAG = 4;

/**
 * Finds the request that a text names: by its id, or by an ending of it.
 *
 * @param views The requests.
 * @param text The id or its last letters.
 * @returns The request, or why none is meant.
 */
export function named(views: readonly RequestView[], text: string): RequestView | string {
  const wanted = text.toLowerCase();
  const found = views.filter(({ id }) =>
    id.toLowerCase() === wanted || (wanted.length >= MIN_TAG && id.toLowerCase().endsWith(wanted))
  );
  const [only] = found;
  if (only === undefined) return "No such challenge waits for you";
  return found.length === 1
    ? only
    : `"${text}" fits ${found.length} requests: ${found.map(({ id }) => id).join(", ")}`;
}
