/**
 * Finds the names of the host's application and the server, and their protocol
 * revision.
 *
 * Up to 2025-11-25 they are in `initialize`; since 2026-07-28 each request and
 * result may carry them in `_meta`.
 *
 * @module
 */

import { at, textAt } from "../json/json.ts";
import type { Pairing, WireExchange } from "./pairing.ts";
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
  /** The model, where the host names it with its requests. */
  readonly model?: string;
}

/** Where Codex says which model asks. What it calls a turn there is the user's, not the model's. */
const CODEX = "x-codex-turn-metadata";

const META = "io.modelcontextprotocol/";

/** An `initialize` and its answer. */
interface Hello {
  readonly client: Party | undefined;
  readonly asked: string | undefined;
  server?: Party | undefined;
  agreed?: string | undefined;
  isAnswered: boolean;
}

/** `initialize` requests that are remembered until their answers come. */
const MAX_HELLOS = 100;

/** Finds the two ends of a session, message by message. */
export class PartyFinder {
  readonly #hellos = new Map<WireExchange, Hello>();
  #meta: { client?: Party | undefined; server?: Party | undefined; protocol?: string | undefined } =
    {};
  #model: string | undefined;

  /**
   * Takes the next message.
   *
   * @param message The message.
   * @param exchange The exchange it belongs to.
   */
  take(message: WireMessage, exchange: WireExchange | undefined): void {
    if (message.kind !== "request" && message.kind !== "response") return;
    const body = message.kind === "request" ? message.params : message.result;
    this.#takeMeta(at(body, "_meta"));
    if (exchange === undefined) return;
    if (message.kind === "request") {
      if (message.method !== "initialize" || this.#hellos.size >= MAX_HELLOS) return;
      this.#hellos.set(exchange, {
        client: party(at(body, "clientInfo")),
        asked: textAt(body, "protocolVersion"),
        isAnswered: false,
      });
      return;
    }
    const hello = this.#hellos.get(exchange);
    if (hello === undefined || body === undefined || hello.isAnswered) return;
    if (message.index !== exchange.answers[0]?.index) return;
    hello.isAnswered = true;
    hello.server = party(at(body, "serverInfo"));
    hello.agreed = textAt(body, "protocolVersion");
  }

  /** The first name that each end gave so far; `initialize` counts before `_meta`. */
  get parties(): Parties {
    const hellos = [...this.#hellos.values()];
    const hello = hellos.find((one) => one.isAnswered) ?? hellos[0];
    return {
      client: hello?.client ?? this.#meta.client,
      server: hello?.server ?? this.#meta.server,
      protocol: hello?.agreed ?? hello?.asked ?? this.#meta.protocol,
      ...(this.#model === undefined ? {} : { model: this.#model }),
    };
  }

  #takeMeta(meta: unknown): void {
    if (meta === undefined) return;
    this.#model ??= textAt(meta, CODEX, "model");
    this.#meta.client ??= party(at(meta, `${META}clientInfo`));
    this.#meta.server ??= party(at(meta, `${META}serverInfo`));
    this.#meta.protocol ??= textAt(meta, `${META}protocolVersion`);
  }
}

/**
 * Finds the two ends of a session.
 *
 * @param messages The session's messages.
 * @param pairs The requests with their responses.
 * @returns The first name that each end gave; `initialize` counts before `_meta`.
 */
export function parties(messages: readonly WireMessage[], pairs: Pairing): Parties {
  const finder = new PartyFinder();
  for (const message of messages) finder.take(message, pairs.byMessage.get(message.index));
  return finder.parties;
}

function party(value: unknown): Party | undefined {
  const name = textAt(value, "name");
  return name === undefined ? undefined : { name, version: textAt(value, "version") };
}
