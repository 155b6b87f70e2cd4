/**
 * Session tokens: the id of a session is no secret, since lists show it. Its token is, and is shown
 * once, to whoever was granted the session; the lease keeps hashes alone.
 *
 * The connection that was granted a session may leave the token out, so that callers who know no
 * tokens keep working over stdio. Leases without a token are older than tokens.
 *
 * @module
 */

import type { CallContext } from "../call/call_context.ts";
import { isSameSecret, sha256 } from "../state/hashes.ts";
import { hex } from "../state/ids.ts";
import type { Lease } from "../state/records.ts";
import { CallRefusal, type ToolReply } from "../state/refusal.ts";

/** Bytes of a token: nobody guesses 128 bits. */
const TOKEN_BYTES = 16;

/**
 * Makes a token for a new lease.
 *
 * @param ctx The call.
 * @returns The token, and the members that the lease keeps of it.
 */
export function makeToken(
  ctx: CallContext,
): { readonly token: string; readonly hashes: Pick<Lease, "token_hash" | "holder_hash"> } {
  const { random, caller } = ctx.world;
  const token = `T-${hex(random(TOKEN_BYTES))}`;
  const holder = caller === undefined ? {} : { holder_hash: sha256(caller) };
  return { token, hashes: { token_hash: sha256(token), ...holder } };
}

/**
 * Checks that a call comes from the holder of a session.
 *
 * @param ctx The call.
 * @param lease The session's lease.
 * @param token The token as received.
 * @returns The refusal; undefined for the holder.
 */
export function checkHolder(
  ctx: CallContext,
  lease: Lease,
  token: string | null | undefined,
): CallRefusal | undefined {
  const { token_hash, holder_hash } = lease;
  if (token_hash === undefined) return undefined;
  if (token !== null && token !== undefined) {
    return isSameSecret(sha256(token), token_hash) ? undefined : refuse(lease, "is not that");
  }
  const { caller } = ctx.world;
  const isHolder = caller !== undefined && holder_hash !== undefined &&
    isSameSecret(sha256(caller), holder_hash);
  if (isHolder || ctx.config.sessionTokens === "optional") return undefined;
  return refuse(
    lease,
    "is missing, and this connection was not granted the session: it takes that",
  );
}

/** A lease as replies show it: without its hashes. */
export function withoutHashes(lease: Lease): Lease {
  const { token_hash: _token, holder_hash: _holder, ...shown } = lease;
  return shown;
}

function refuse({ session_id }: Lease, why: string): CallRefusal {
  const extra: ToolReply = { field: "session_token", session_id, required_action: "pause" };
  return new CallRefusal(
    "session_token_required",
    `session_token ${why} of session ${session_id}. hai_authorize_session shows it once`,
    extra,
  );
}
