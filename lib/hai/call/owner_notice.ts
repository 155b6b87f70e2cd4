/**
 * The text that tells the owner of a challenge.
 *
 * The first line is an interface: other programs read the code from it. What a
 * channel cuts for length it must say.
 *
 * @module
 */

import { plainText } from "../../text/plain_text.ts";
import { hashableJson } from "../state/state_json.ts";

/** A challenge as a channel delivers it. */
export interface OwnerNotice {
  /** The challenge. */
  readonly challengeId: string;
  /** Action of the gate. */
  readonly action: string;
  /** One sentence. */
  readonly summary: string;
  /** Exactly what would change, member by member. */
  readonly preview: Readonly<Record<string, unknown>>;
  /** The code in clear; it leaves the server only through a channel. */
  readonly code: string;
  /** When the approval lapses, UTC. */
  readonly expiresAt: string;
}

/** The outcome of delivering a notice. */
export type Delivery =
  | { readonly kind: "sent"; readonly record: Readonly<Record<string, unknown>> }
  | { readonly kind: "approved"; readonly record: Readonly<Record<string, unknown>> }
  | { readonly kind: "denied"; readonly record: Readonly<Record<string, unknown>> }
  | { readonly kind: "unavailable"; readonly message: string };

/** A way to reach the owner. */
export interface OwnerChannel {
  /** Its name, as configured. */
  readonly name: string;
  /** Tells the owner, or says why that cannot be done. */
  deliver(notice: OwnerNotice): Promise<Delivery>;
  /** Challenges that the owner denied through it since then; none when it cannot be asked. */
  denials?(sinceUnixMs: number): Promise<ReadonlySet<string>>;
}

/**
 * The text for the owner.
 *
 * @param notice The challenge.
 * @returns Lines; the first is `HAI owner code: XXXX-XXXX`.
 */
export function noticeText(notice: OwnerNotice): string {
  const lines = [
    `HAI owner code: ${notice.code}`,
    "",
    `action: ${notice.action}`,
    `challenge: ${notice.challengeId}`,
    plainText(notice.summary),
    ...previewLines(notice.preview),
    `expires: ${notice.expiresAt}`,
    "",
    "Give this code to the agent only if you want exactly this change, once.",
    "Doing nothing denies it. 'hai-mcp owner' shows, approves and denies it in a terminal.",
  ];
  return `${lines.join("\n")}\n`;
}

/**
 * The preview as lines, `key: value`; what is not text is shown as JSON. Lines of
 * a longer text are indented, so that none can pass for a line of this server.
 *
 * @param preview The members.
 * @returns The lines.
 */
export function previewLines(preview: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(preview).map(([key, value]) => {
    const shown = plainText(typeof value === "string" ? value.trimEnd() : hashableJson(value));
    return shown.includes("\n")
      ? `${key}:\n  ${shown.replaceAll("\n", "\n  ")}`
      : `${key}: ${shown}`;
  });
}
