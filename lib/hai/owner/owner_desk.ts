/**
 * The owner's desk: what waits, shown as the exact change, approved or denied.
 *
 * Only records sealed with the owner's key are shown, so what is approved here
 * is what the server asked for.
 *
 * @module
 */

import type { CallContext } from "../call/call_context.ts";
import {
  isOver,
  isSealed,
  isWaiting,
  listChallenges,
  saveChallenge,
  saveTally,
  withStatus,
} from "./challenges.ts";
import { lineDiff } from "./line_diff.ts";
import { plainText } from "../../text/plain_text.ts";
import type { Challenge } from "../state/records.ts";
import { indentedJson } from "../state/state_json.ts";

/** Challenges that wait for the owner, oldest first. */
export function waitingChallenges(ctx: CallContext, key: Uint8Array): Challenge[] {
  return listChallenges(ctx.tx).filter((challenge) =>
    challenge.status === "pending" && isWaiting(challenge, ctx.world.unixMs) &&
    isSealed(key, challenge) && !isOver(ctx, challenge)
  );
}

/** A decision of the owner. */
export interface OwnerDecision {
  readonly challengeId: string;
  readonly verdict: "approved" | "denied";
  /** The fingerprint that was shown; another one is not decided. */
  readonly fingerprint: string;
}

/**
 * Approves or denies what was shown.
 *
 * @param ctx The call.
 * @param key The owner's key.
 * @param decision The decision.
 * @returns Whether it still waited; nothing is changed if not.
 */
export function decide(ctx: CallContext, key: Uint8Array, decision: OwnerDecision): boolean {
  const challenge = waitingChallenges(ctx, key).find((waiting) =>
    waiting.challenge_id === decision.challengeId && waiting.fingerprint === decision.fingerprint
  );
  if (challenge === undefined) return false;
  const { verdict } = decision;
  const decided = withStatus(challenge, verdict, { [`${verdict}_at`]: ctx.utc });
  saveChallenge(ctx, { challenge: decided, key });
  saveTally(ctx, decided, { attempts: decided.attempts, isOver: false });
  ctx.audit(`owner_challenge_${verdict}`, {
    challenge_id: challenge.challenge_id,
    action: challenge.action,
    via: "terminal",
  });
  return true;
}

/**
 * One line on a challenge.
 *
 * @param challenge The challenge.
 * @returns Id, action, summary, expiry.
 */
export function challengeLine(challenge: Challenge): string {
  const { challenge_id, action, summary, expires_at } = challenge;
  return plainText(`${challenge_id}  ${action}  until ${expires_at}  ${summary}`);
}

/**
 * Everything about a challenge, the change as a diff.
 *
 * @param challenge The challenge.
 * @returns Lines, safe for a terminal.
 */
export function challengeLines(challenge: Challenge): string[] {
  const { preview } = challenge;
  const head = [
    `challenge: ${challenge.challenge_id}`,
    `action:    ${challenge.action}`,
    `expires:   ${challenge.expires_at}`,
    `reason:    ${challenge.reason ?? "(none given)"}`,
    challenge.summary,
    "",
  ];
  return [...head, ...changeLines(preview)]
    .map((line) => plainText(line).replaceAll("\n", "\n           "));
}

function changeLines(preview: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(preview).flatMap(([key, value]) => {
    if (key === "previous" || key === "reason") return [];
    if (key === "body" && typeof value === "string") {
      const before = typeof preview.previous === "string" ? withoutFooter(preview.previous) : "";
      return [`${key}:`, ...lineDiff(before, value)];
    }
    if (key === "diff" && Array.isArray(value)) return value.flatMap(fieldLines);
    return typeof value === "string" ? [`${key}: ${value}`] : [`${key}:`, ...indented(value)];
  });
}

function fieldLines(item: unknown): string[] {
  if (typeof item !== "object" || item === null || !("field" in item)) return [];
  const before = "old" in item ? item.old : undefined;
  const after = "new" in item ? item.new : undefined;
  return [`${String(item.field)}:`, ...lineDiff(shown(before), shown(after))];
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : indentedJson(value ?? null);
}

function indented(value: unknown): string[] {
  return indentedJson(value).split("\n").map((line) => `  ${line}`);
}

/** The part of a canonical next step that was approved. */
function withoutFooter(canonical: string): string {
  const cut = canonical.lastIndexOf("\n---\n_Accepted via hai-mcp_\n");
  return cut < 0 ? canonical : canonical.slice(0, cut);
}
