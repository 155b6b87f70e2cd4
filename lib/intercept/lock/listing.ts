/**
 * Asks the server for a whole list, page by page, so that it is compared with the lock before
 * something of it is used.
 *
 * @module
 */

import { at, textAt } from "../../json/json.ts";
import type { ListKind } from "../../tool_lock/locked_lists.ts";
import type { InterceptorPorts } from "../chain/interceptor.ts";
import type { SeenMessage } from "../chain/seen.ts";

/** Pages of a list that are asked for, and how long each may take. */
const MAX_PAGES = 100;
const LIST_MS = 10_000;
/** How often a list is asked for again that changes while it is read. */
const MAX_TRIES = 3;

/** What a listing reports to. */
export interface ListingPorts {
  readonly ask: InterceptorPorts["ask"];
  /** Judges a page; whether it can be read, and the ids of its entries. */
  readonly page: (kind: ListKind, message: SeenMessage) => readonly string[] | undefined;
  /** The list is whole. */
  readonly whole: (kind: ListKind, ids: ReadonlySet<string>) => void;
}

/** One list of a session's server. */
export class Listing {
  readonly #kind: ListKind;
  readonly #ports: ListingPorts;
  #isWhole = false;
  /** Counts the changes that the server told of. */
  #changes = 0;
  #running: Promise<void> | undefined;
  /** Ids of the host's pages so far, from its first. */
  #ofHost: Set<string> | undefined;

  /** Starts with nothing listed. */
  constructor(kind: ListKind, ports: ListingPorts) {
    this.#kind = kind;
    this.#ports = ports;
  }

  /** Whether the whole list was compared, and the server has told of no change since. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** The server says that the list has changed. */
  changed(): void {
    this.#isWhole = false;
    this.#changes++;
    this.#ofHost = undefined; // Its pages may be of either list.
  }

  /** The host was shown a page. */
  hostPage(ids: readonly string[], { isFirst, isLast }: HostPage): void {
    if (isFirst) this.#ofHost = new Set();
    ids.forEach((id) => this.#ofHost?.add(id));
    if (!isLast || this.#ofHost === undefined) return;
    this.#isWhole = true;
    this.#ports.whole(this.#kind, this.#ofHost);
    this.#ofHost = undefined;
  }

  /** Lists, unless a list is there that holds. Never rejects. */
  list(): Promise<void> {
    if (this.#isWhole) return Promise.resolve();
    return this.#running ??= this.#list().catch(() => {}).finally(() => this.#running = undefined);
  }

  async #list(): Promise<void> {
    for (let tries = 1;; tries++) {
      const changes = this.#changes;
      const ids = await this.#pages();
      if (ids === undefined) return;
      // Of a list that never rests, each entry was judged all the same.
      if (changes !== this.#changes && tries < MAX_TRIES) continue;
      this.#isWhole = true;
      return this.#ports.whole(this.#kind, ids);
    }
  }

  /** Asks for every page; the ids of the entries, or undefined when a page did not come. */
  async #pages(): Promise<Set<string> | undefined> {
    const ids = new Set<string>();
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const message = await this.#ports.ask(this.#kind.method, params, LIST_MS);
      const found = message && this.#ports.page(this.#kind, message);
      if (found === undefined) return undefined;
      found.forEach((id) => ids.add(id));
      cursor = nextCursor(message);
      if (cursor === undefined) return ids;
    }
    return undefined;
  }
}

/** Where a page of the host's stands in its list. */
export interface HostPage {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** The cursor of the next page; undefined after the last. */
export function nextCursor(message: SeenMessage | undefined): string | undefined {
  const cursor = textAt(at(message?.value, "result"), "nextCursor");
  return cursor === "" ? undefined : cursor;
}
