/**
 * A person's answer to a held call: bound to the call that was shown, sealed with the call's key.
 *
 * @module
 */

import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { canonicalJson } from "../json/canonical_json.ts";
import { APPROVAL_MS, fingerprintOf, type HeldCall } from "./held_call.ts";

/** Yes or no. */
export type ApprovalVerdict = "approved" | "denied";

const content = z.strictObject({
  hoist_approval_answer: z.literal(1),
  id: z.string(),
  /** Of the call that was shown. */
  fingerprint: z.string(),
  verdict: z.enum(["approved", "denied"]),
  answered_unix_ms: z.int().nonnegative(),
});
const file = content.extend({ seal: z.string() });

/** An answer that counts. */
export interface CountedAnswer {
  readonly verdict: ApprovalVerdict;
  /** How long it holds from now on. */
  readonly leftMs: number;
}

/** How far apart two clocks of one machine may be. */
const SLACK_MS = 2_000;

/** A call with its key, and the time. */
export interface AnsweredHeld {
  readonly call: HeldCall;
  readonly key: string;
  readonly nowUnixMs: number;
}

/**
 * Prints an answer.
 *
 * @param held The call that was shown.
 * @param verdict The answer.
 * @returns The file's text.
 */
export function printAnswer(
  { call, key, nowUnixMs }: AnsweredHeld,
  verdict: ApprovalVerdict,
): string {
  const answer = {
    hoist_approval_answer: 1,
    id: call.id,
    fingerprint: fingerprintOf(call),
    verdict,
    answered_unix_ms: nowUnixMs,
  };
  return JSON.stringify({ ...answer, seal: sealOf(answer, key) }) + "\n";
}

/**
 * Reads an answer, and checks that it is one to exactly this call, and in time. A yes holds for
 * ten minutes.
 *
 * @param text The file's text.
 * @param held The call as the proxy knows it, and the time.
 * @returns The verdict and how long it holds, or why it does not count.
 */
export function countedAnswer(
  text: string,
  { call, key, nowUnixMs }: AnsweredHeld,
): CountedAnswer | { readonly fault: string } {
  let read: z.infer<typeof file>;
  try {
    read = file.parse(JSON.parse(text));
  } catch {
    return { fault: "it is no answer" };
  }
  const { seal, ...answer } = read;
  if (!isSame(seal, sealOf(answer, key))) return { fault: "its seal is not that of the call" };
  if (answer.id !== call.id) return { fault: "it answers another call" };
  if (answer.fingerprint !== fingerprintOf(call)) {
    return { fault: "the person was shown something else" };
  }
  const at = answer.answered_unix_ms;
  if (at > nowUnixMs + SLACK_MS || at < call.asked_unix_ms - SLACK_MS) {
    return { fault: "its time cannot be" };
  }
  if (at >= call.expires_unix_ms || nowUnixMs >= at + APPROVAL_MS) {
    return { fault: "it is too old" };
  }
  return { verdict: answer.verdict, leftMs: at + APPROVAL_MS - nowUnixMs };
}

function sealOf(answer: Readonly<Record<string, unknown>>, key: string): string {
  return createHmac("sha256", key).update(canonicalJson(answer), "utf8").digest("hex");
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [new TextEncoder().encode(a), new TextEncoder().encode(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}
