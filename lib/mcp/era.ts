/**
 * Which era of MCP a message belongs to. The era is a property of each message,
 * never of a connection or of this proxy, and nothing is translated from one to
 * the other.
 *
 * Modern (2026-07-28 and after): the request says its version itself, in
 * `params._meta`. Legacy (2025-11-25 and before): `initialize` opens a session.
 *
 * @module
 */

import { stringAt, valueAt } from "../json/json_spans.ts";
import type { Message } from "../wire/message.ts";

/** Key of the protocol version in a modern message's `_meta`. */
export const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
/** Key of the client's name and version in a modern message's `_meta`. */
export const CLIENT_KEY = "io.modelcontextprotocol/clientInfo";
/** Key of the client's capabilities in a modern message's `_meta`. */
export const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
/** Key of the log level a modern request asks for. */
export const LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel";
/** Key of the subscription a modern notification belongs to. */
export const SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId";

/** The revisions that open sessions with `initialize`, oldest first. */
export const LEGACY_VERSIONS: readonly string[] = [
  "2024-11-05",
  "2025-03-26",
  "2025-06-18",
  "2025-11-25",
];

/** The revision of what the proxy asks on its own, and of a modern host that names none. */
export const MODERN_VERSION = "2026-07-28";

/** Whether a version header names a revision after the last legacy one. */
export function isModernVersion(version: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version > "2025-11-25";
}

/** The version a modern message says it has; undefined for a legacy one. */
export function modernVersion({ bytes, params }: Message): string | undefined {
  return stringAt(bytes, valueAt(bytes, params, "_meta", VERSION_KEY));
}

/** `_meta` of a modern request the proxy makes on its own: it can give a server no input. */
export const OWN_META = {
  [VERSION_KEY]: MODERN_VERSION,
  "io.modelcontextprotocol/clientInfo": { name: "hoist-mcp", version: "0" },
  [CAPABILITIES_KEY]: {},
} as const;
