/**
 * Who talks in a session: the host's application, the server, and the protocol
 * between them.
 *
 * Up to 2025-11-25 they introduce themselves in `initialize`; since 2026-07-28
 * each request and result may carry the names in `_meta`.
 *
 * @module
 */

import { at, type JsonObject, textAt } from "../json/json.ts";
import type { Pairing } from "./pairing.ts";
import type { WireMessage } from "./wire_messages.ts";

/** A program, as it names itself. */
export interface Party {
  /** Its name. */
  readonly name: string;
  /** Its version; undefined when it says none. */
  readonly version: string | undefined;
}

/** The two ends of a session. */
export interface Parties {
  /** The host's application; undefined when it never said. */
  readonly client: Party | undefined;
  /** The server; undefined when it never said. */
  readonly server: Party | undefined;
  /** The protocol revision they use, such as `2025-11-25`. */
  readonly protocol: string | undefined;
}

const META = "io.modelcontextprotocol/";

/**
 * Finds out who talks in a session.
 *
 * @param messages The session's messages.
 * @param pairs Which response belongs to which request.
 * @returns The first name each end gave, `initialize` before `_meta`.
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
 * Whether a session is a mere probe: hosts that look for the server's era start
 * its command once with nothing but `server/discover`, then again for real.
 *
 * @param messages The session's messages.
 * @returns Whether the host asked nothing else.
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
