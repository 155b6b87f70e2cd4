/**
 * The chains of modern requests that share one server: hosts are told apart by their
 * `Hoist-Session` header. A request without one is a session of its own, since what one
 * host was shown must not steer what another's call looks up.
 *
 * @module
 */

import { type Message, readMessage, writtenId } from "../wire/message.ts";
import type { Chain } from "./chain/chain.ts";
import type { Chains, NewSession } from "./kinds/chains.ts";

/** What conversations go through. Ids are those the server sees, unique among all hosts. */
export interface ConversationPorts {
  /** Makes the sessions. */
  readonly chains: Chains;
  /** The log they share. */
  readonly log: () => (NewSession["log"] & { readonly session: string }) | undefined;
  /** Sends a line to the server. */
  readonly toServer: (line: Uint8Array) => void;
  /** Hands an answer to the host whose request it answers. */
  readonly toHost: (answer: Message) => void;
  /** The number of the next request of the proxy's. */
  readonly nextNumber: () => number;
}

const CHANGED = new TextEncoder().encode(
  '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
);
/** Conversations that are remembered; the one used least lately is forgotten for one more. */
const MAX_KEPT = 256;

/** The conversations of one server. */
export class Conversations {
  readonly #ports: ConversationPorts;
  /** By header, the one used last at the end. */
  readonly #kept = new Map<string, Chain>();
  /** Whose each id is: a host's request, or one of the proxy's. */
  readonly #ofId = new Map<string, Chain>();
  readonly #once = new Set<Chain>();

  /** Starts with none. */
  constructor(ports: ConversationPorts) {
    this.#ports = ports;
  }

  /**
   * Takes a host's request.
   *
   * @param name The host's `Hoist-Session` header.
   * @param id The id the server sees, as written.
   * @param line The request with that id.
   */
  take(name: string | undefined, id: string, line: Uint8Array): void {
    const live = this.#find(name);
    this.#ofId.set(id, live);
    live.fromHost(line);
  }

  /** Takes an answer of the server; whether it is one of theirs. */
  answer(message: Message, line: Uint8Array): boolean {
    const id = writtenId(message) ?? "";
    const live = this.#ofId.get(id);
    if (live === undefined) return false;
    if (id.startsWith('"')) this.#ofId.delete(id); // Ours; a host's is kept until it is answered.
    live.fromServer(line);
    return true;
  }

  /** The server says to no host in particular that its tools have changed. */
  toolsChanged(): void {
    for (const live of new Set([...this.#kept.values(), ...this.#once])) live.overhear(CHANGED);
  }

  /** A host has given a request up. */
  drop(id: string): void {
    const live = this.#ofId.get(id);
    this.#ofId.delete(id);
    if (live === undefined) return;
    live.abandon(id);
    this.#endOnce(live);
  }

  /** The server is gone. */
  async close(): Promise<void> {
    const all = new Set([...this.#kept.values(), ...this.#once]);
    await Promise.all([...all].map(ended));
  }

  #find(name: string | undefined): Chain {
    const known = name === undefined ? undefined : this.#kept.get(name);
    if (name === undefined) return this.#begin(undefined);
    this.#kept.delete(name);
    const live = known ?? this.#begin(name);
    this.#kept.set(name, live);
    const [oldest] = this.#kept;
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) {
      this.#kept.delete(oldest[0]);
      void ended(oldest[1]);
    }
    return live;
  }

  #begin(name: string | undefined): Chain {
    const { chains, log, toServer, toHost, nextNumber } = this.#ports;
    const opened = log();
    const live: Chain = chains.begin({
      id: name ?? opened?.session ?? "",
      hostSession: name,
      isOnce: name === undefined,
      log: opened,
      toServer,
      toHost: (line) => {
        const message = readMessage(line);
        this.#ofId.delete(writtenId(message) ?? "");
        toHost(message);
        this.#endOnce(live);
      },
      nextNumber: () => {
        const number = nextNumber();
        this.#ofId.set(`"hoist-${number}"`, live);
        return number;
      },
    });
    if (name === undefined) this.#once.add(live);
    return live;
  }

  #endOnce(live: Chain): void {
    if (this.#once.delete(live)) void ended(live);
  }
}

async function ended(chain: Chain): Promise<void> {
  await chain.close();
  await chain.end();
}
