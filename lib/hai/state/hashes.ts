/**
 * The hashes of the state format, and the slow hash of owner codes.
 *
 * Contracts, audit events and legacy challenges are hashed as other programs
 * hash them; the vectors in `testdata/hai` pin that. New challenges use scrypt
 * with a salt that only the owner's folder can reproduce.
 *
 * @module
 */

import { createHash, createHmac, scryptSync, timingSafeEqual } from "node:crypto";
import { hashableJson } from "./state_json.ts";

/** Cost of the slow hash: 16 MiB and some tens of milliseconds a try. */
const SCRYPT = { N: 16384, r: 8, p: 1, maxmem: 64 * 1024 * 1024 } as const;

/**
 * SHA-256 of a text, as lower-case hex.
 *
 * @param text The text, hashed as UTF-8.
 * @returns 64 hex digits.
 */
export function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

/**
 * Hash of a JSON object without one of its members, `sha256:` and hex.
 *
 * @param record The object.
 * @param without The member that will hold the hash.
 * @returns The hash.
 */
export function recordHash(record: Readonly<Record<string, unknown>>, without: string): string {
  const { [without]: _hash, ...rest } = record;
  return `sha256:${sha256(hashableJson(rest))}`;
}

/**
 * Fingerprint of the legacy format: the change alone.
 *
 * @param subject The change.
 * @returns `sha256:` and hex.
 */
export function legacyFingerprint(subject: Readonly<Record<string, unknown>>): string {
  return `sha256:${sha256(hashableJson(subject))}`;
}

/** The change an approval is bound to. */
interface BoundChange {
  /** Action of the gate. */
  readonly action: string;
  /** The exact change. */
  readonly subject: Readonly<Record<string, unknown>>;
  /** Reason given on the first call; null when none was. */
  readonly reason: string | null;
}

/**
 * Fingerprint that an approval is bound to: action, change and reason.
 *
 * @param change The three.
 * @returns `sha256:` and hex.
 */
export function fingerprint(change: BoundChange): string {
  const { action, subject, reason } = change;
  return `sha256:${sha256(hashableJson({ action, reason, subject }))}`;
}

/**
 * Slow hash of an owner code.
 *
 * @param key The owner's key, kept outside `HAI_HOME`.
 * @param challengeId The challenge the code belongs to; salts differ by it.
 * @param code The code as shown, `XXXX-XXXX`.
 * @returns 64 hex digits.
 */
export function codeHash(key: Uint8Array, challengeId: string, code: string): string {
  const salt = keyed(key, `salt:${challengeId}`);
  return scryptSync(code, salt, 32, SCRYPT).toString("hex");
}

/**
 * Seal of a record; only the owner's key can make one.
 *
 * @param key The owner's key.
 * @param record The record; its member `seal` is not part of what is sealed.
 * @returns `hmac-sha256:` and hex.
 */
export function seal(key: Uint8Array, record: Readonly<Record<string, unknown>>): string {
  const { seal: _seal, ...rest } = record;
  return `hmac-sha256:${keyed(key, `seal:${hashableJson(rest)}`).toString("hex")}`;
}

/**
 * Compares two texts in time that does not depend on where they differ.
 *
 * @param a One text.
 * @param b The other.
 * @returns Whether they are equal.
 */
export function isSameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text, "utf8").digest();
  return timingSafeEqual(digest(a), digest(b));
}

function keyed(key: Uint8Array, text: string) {
  return createHmac("sha256", key).update(text, "utf8").digest();
}
