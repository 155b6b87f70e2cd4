/**
 * Signatures of the owner: Ed25519, with a key derived from the owner's secret. The secret signs;
 * the public key alone verifies, so a reader of the trail cannot forge an event.
 *
 * The public key is kept as SubjectPublicKeyInfo in base64, which WebCrypto imports as it is.
 * Signing is synchronous here, since a call is decided without waiting.
 *
 * @module
 */

import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  sign,
  verify,
} from "node:crypto";
import { hashableJson } from "./state_json.ts";

/** Signs records for the owner. */
export interface OwnerSigner {
  /** Short name of the key: the first 16 hex digits of the public key's hash. */
  readonly keyId: string;
  /** The public key, SPKI in base64. */
  readonly publicKey: string;
  /** Seal of a record; its members `seal` and `event_hash` are not part of what is signed. */
  seal(record: Readonly<Record<string, unknown>>): string;
}

/** Head of a PKCS #8 private key of Ed25519; the 32 bytes of the seed follow. */
const PKCS8_HEAD = "302e020100300506032b657004220420";

/**
 * Derives the owner's signing key.
 *
 * @param secret The owner's secret, 32 bytes.
 * @returns The signer.
 */
export function ownerSigner(secret: Uint8Array): OwnerSigner {
  const seed = createHmac("sha256", secret).update("hai signing key 1", "utf8").digest("hex");
  const bytes = (PKCS8_HEAD + seed).match(/../g) ?? [];
  const base64 = btoa(String.fromCharCode(...bytes.map((pair) => parseInt(pair, 16))));
  const key = createPrivateKey(`-----BEGIN PRIVATE KEY-----\n${base64}\n-----END PRIVATE KEY-----`);
  const publicKey = String(createPublicKey(key).export({ format: "pem", type: "spki" }))
    .replaceAll(/-----[A-Z ]+-----|\s/g, "");
  return {
    publicKey,
    keyId: keyIdOf(publicKey),
    seal: (record) => `ed25519:${sign(null, signedBytes(record), key).toString("base64")}`,
  };
}

/** Short name of a public key. */
export function keyIdOf(publicKey: string): string {
  return createHash("sha256").update(publicKey, "utf8").digest("hex").slice(0, 16);
}

/**
 * Whether a record carries a valid seal.
 *
 * @param record The record with its member `seal`.
 * @param publicKey The owner's public key, SPKI in base64.
 * @returns Whether the seal is that key's.
 */
export function hasValidSeal(
  record: Readonly<Record<string, unknown>>,
  publicKey: string,
): boolean {
  const { seal } = record;
  if (typeof seal !== "string" || !/^ed25519:[A-Za-z0-9+/]{86}==$/.test(seal)) return false;
  const bytes = Uint8Array.from(atob(seal.slice("ed25519:".length)), (c) => c.charCodeAt(0));
  try {
    const key = `-----BEGIN PUBLIC KEY-----\n${publicKey}\n-----END PUBLIC KEY-----`;
    return verify(null, signedBytes(record), key, bytes);
  } catch {
    return false; // The key is none.
  }
}

function signedBytes(record: Readonly<Record<string, unknown>>): Uint8Array<ArrayBuffer> {
  const { seal: _seal, event_hash: _hash, ...rest } = record;
  return new TextEncoder().encode(`hai event 1\n${hashableJson(rest)}`);
}
