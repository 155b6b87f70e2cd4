/**
 * What an accepted write makes stale.
 *
 * Where the records are known (retail, airline): the profile, and every read
 * that shares an order or a reservation with the write. Elsewhere: every read.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../json/json.ts";

/** The argument or field that names the record a write changes. */
const RECORD_ID = /^(?:order_id|reservation_id)$/;
const KNOWN_DOMAINS: readonly string[] = ["retail", "airline"];
const PROFILE = "get_user_details";

/**
 * The orders and reservations a write touches.
 *
 * @param args Its arguments.
 * @param result Its result, read.
 * @returns Their ids.
 */
export function staleIds(args: JsonObject, result: unknown): Set<string> {
  const ids = new Set<string>();
  for (const source of [args, result]) {
    if (!isObject(source)) continue;
    for (const [key, value] of Object.entries(source)) {
      if (RECORD_ID.test(key) && typeof value === "string") ids.add(value);
    }
  }
  return ids;
}

/**
 * Whether a write makes an earlier call stale.
 *
 * @param call The earlier call.
 * @param ids What the write touches.
 * @param domain The domain.
 * @returns True when its answer may have changed.
 */
export function isStale(
  call: { readonly tool: string; readonly args: JsonObject },
  ids: ReadonlySet<string>,
  domain: string,
): boolean {
  if (!KNOWN_DOMAINS.includes(domain)) return true;
  if (call.tool === PROFILE) return true;
  return Object.values(call.args).some((value) => typeof value === "string" && ids.has(value));
}
