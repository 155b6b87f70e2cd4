/**
 * Finds the names of the host's application and the server, and their protocol
 * revision.
 *
 * Up to 2025-11-25 they are in `initialize`; since 2026-07-28 each request and
 * result may carry them in `_meta`.
 *
 * @module
 */

import { at, type JsonObject, textAt } from "../json/json.ts";
import type { Pairing } from "./pairing.ts";
import type { WireMessage } from "./wire_messages.ts";

/** A program's name for itself. */
export interface Party {
  /** Its name. */
  readonly name: string;
  /** Its version; undefined when not given. */
  readonly version: string | undefined;
}

/** The two ends of a session. */
export interface Parties {
  /** The host's application; undefined when not given. */
  readonly client: Party | undefined;
  /** The server; undefined when not given. */
  readonly server: Party | undefined;
  /** The protocol revision, for example `2025-11-25`. */
  readonly protocol: string | undefined;
}

const META = "io.modelcontextprotocol/";

/**
 * Finds the two ends of a session.
 *
 * @param messages The session's messages.
 * @param pairs The requests with their responses.
 * @returns The first name that each end gave; `initialize` counts before `_meta`.
 */
export function parties(messages: readonly WireMessage[], pairs: Pairing): Parties {
  const initialize =
    pairs.exchanges.find(({ request, answers }) =>
      request.method === "initialize" && answers[0]?.result !== undefined
    ) ?? pairs.exchanges.find(({ request }) => request.method === "initialize");
  const asked = initialize?.request.params;
  const answer = initialize?.answers[0]?.result;
  return {
    client: party(at(asked, "clientInfo")) ?? fromMeta(messages, "clientInfo", party),
    server: party(at(answer, "serverInfo")) ?? fromMeta(messages, "serverInfo", party),
    protocol: textAt(answer, "protocolVersion") ?? textAt(asked, "protocolVersion") ??
      fromMeta(
        messages,
        "protocolVersion",
        (value) => typeof value === "string" ? value : undefined,
      ),
  };
}

/**
 * Whether a session is only a probe: to find the server's era, a host starts its
 * command with a single `server/discover`, then again for the real session.
 *
 * @param messages The session's messages.
 * @returns Whether the host sent nothing but `server/discover`.
 */
export function isProbe(messages: readonly WireMessage[]): boolean {
  const asked = messages.filter((m) => m.from === "client" && "method" in m);
  return asked.length > 0 && asked.every((m) => "method" in m && m.method === "server/discover");
}

function fromMeta<T>(
  messages: readonly WireMessage[],
  key: string,
  read: (value: unknown) => T | undefined,
): T | undefined {
  for (const message of messages) {
    const body: JsonObject | undefined = message.kind === "request"
      ? message.params
      : message.kind === "response"
      ? message.result
      : undefined;
    const found = read(at(body, "_meta", META + key));
    if (found !== undefined) return found;
  }
  return undefined;
}

function party(value: unknown): Party | undefined {
  const name = textAt(value, "name");
  return name === undefined ? undefined : { name, version: textAt(value, "version") };
}
