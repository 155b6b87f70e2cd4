/**
 * Tells the host that a restarted server may have other tools, prompts and
 * resources.
 *
 * @module
 */

import { isObject, jsonOrUndefined } from "../../json/json.ts";
import { spanText, valueAt } from "../../json/json_spans.ts";
import { SUBSCRIPTION_KEY } from "../../mcp/era.ts";
import type { ServerOffer } from "./server_offer.ts";
import type { OpenRequest } from "./open_requests.ts";

const LISTS = ["tools", "prompts", "resources"] as const;
const encoder = new TextEncoder();

/**
 * Writes the notifications.
 *
 * @param offer What the host knows of the server; lists it does not offer are left out.
 * @param listening The modern host's open requests for notifications: each is told on its own.
 * @returns Lines for the host.
 */
export function changedLists(
  offer: ServerOffer | undefined,
  listening: readonly OpenRequest[],
): Uint8Array[] {
  if (listening.length > 0) return listening.flatMap(changedOn);
  const { capabilities } = offer ?? {};
  // A modern host hears of changes on the requests that ask for them, and nowhere else.
  if (!isObject(capabilities) || offer?.versions.length !== 1) return [];
  return LISTS.filter((list) => isObject(capabilities[list])).map((list) => note(list, undefined));
}

function changedOn({ id, message }: OpenRequest): Uint8Array[] {
  const { bytes, params } = message;
  const span = valueAt(bytes, params, "notifications");
  const wanted = span === undefined ? undefined : jsonOrUndefined(spanText(bytes, span));
  if (!isObject(wanted)) return [];
  return LISTS.filter((list) => wanted[`${list}ListChanged`] === true)
    .map((list) => note(list, id));
}

/** One notification; `subscription` is an id as it was written. */
function note(list: string, subscription: string | undefined): Uint8Array {
  const params = subscription === undefined
    ? ""
    : `,"params":{"_meta":{${JSON.stringify(SUBSCRIPTION_KEY)}:${subscription}}}`;
  return encoder.encode(
    `{"jsonrpc":"2.0","method":"notifications/${list}/list_changed"${params}}`,
  );
}
