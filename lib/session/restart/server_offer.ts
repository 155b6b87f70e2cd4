/**
 * What a host and a server have agreed on, and whether a restarted server still
 * offers it: the host is not told of a restart, so nothing it relies on may go.
 *
 * @module
 */

import { at, isObject, jsonOrUndefined, jsonText, textAt } from "../../json/json.ts";
import { spanText, stringAt, valueAt } from "../../json/json_spans.ts";
import type { Message } from "../../wire/message.ts";

/** What the answer to `initialize` or `server/discover` offers. */
export interface ServerOffer {
  /** The protocol versions: the one agreed on, or all that are supported. */
  readonly versions: readonly string[];
  /** The server's capabilities. */
  readonly capabilities: unknown;
}

/**
 * Reads an answer.
 *
 * @param answer The answer to `initialize` or `server/discover`.
 * @returns What it offers; undefined for an error.
 */
export function offerOf({ bytes, result }: Message): ServerOffer | undefined {
  if (result === undefined) return undefined;
  const value = jsonOrUndefined(spanText(bytes, result));
  if (!isObject(value)) return undefined;
  const version = textAt(value, "protocolVersion");
  const supported = at(value, "supportedVersions");
  const many = Array.isArray(supported)
    ? supported.filter((one): one is string => typeof one === "string")
    : [];
  return {
    versions: version === undefined ? many : [version],
    capabilities: value["capabilities"],
  };
}

/**
 * Compares a restarted server with the one before.
 *
 * @param before What the host knows.
 * @param after What the new server offers.
 * @returns What is missing, in words; undefined when nothing is.
 */
export function missingIn(before: ServerOffer, after: ServerOffer): string | undefined {
  const version = before.versions.find((one) => !after.versions.includes(one));
  if (version !== undefined) {
    return `it speaks protocol version ${after.versions.join(", ") || "unknown"}, ` +
      `the session ${version}`;
  }
  const capability = lost(before.capabilities, after.capabilities, []);
  return capability === undefined ? undefined : `it no longer offers the capability ${capability}`;
}

/** The message of an error. */
export function refusalIn({ bytes, error }: Message): string {
  return stringAt(bytes, valueAt(bytes, error, "message")) ?? "no reason given";
}

/** The path of the first capability that is gone. */
function lost(before: unknown, after: unknown, path: readonly string[]): string | undefined {
  if (before === undefined || before === false || before === null) return undefined;
  if (!isObject(before)) {
    return jsonText(before) === jsonText(after) ? undefined : path.join(".");
  }
  if (!isObject(after)) return path.join(".") || "list";
  for (const [key, value] of Object.entries(before)) {
    const found = lost(value, after[key], [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
