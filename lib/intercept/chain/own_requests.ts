/**
 * Requests the proxy makes of the server on its own: their ids, their answers,
 * how long each may take.
 *
 * Ids are `hoist-<n>`. A host may be a proxy too and count the same way, so
 * numbers jump past any that the host has used, and an answer that comes late,
 * or a second time, goes to nobody.
 *
 * @module
 */

import { at } from "../../json/json.ts";
import type { SeenMessage } from "./seen.ts";
import { cancelled } from "../../wire/rpc_error.ts";

/** How a request of ours ended. */
export type OwnReply =
  | { readonly kind: "answer"; readonly message: SeenMessage }
  | { readonly kind: "late" | "cancelled" | "closed" };

/** What own requests need. */
export interface OwnPorts {
  /** Sends a line to the server, and records it as ours. */
  readonly send: (line: Uint8Array) => void;
  /** Calls back once after so many milliseconds; the function it returns calls that off. */
  readonly later: (ms: number, ring: () => void) => () => void;
  /** A number above the last, where sessions share them; by default the next one. */
  readonly nextNumber?: (last: number) => number;
}

/** A request under way. */
export interface OwnRequest {
  /** Settles with its answer, or with why there is none; never rejects. */
  readonly reply: Promise<OwnReply>;
  /** Gives it up; the server is told. */
  cancel(): void;
}

/** How every id of ours begins. */
const OURS = '"hoist-';
/** How far numbers jump past one the host uses. */
const STRIDE = 1_000_000;

/** The requests of one session. */
export class OwnRequests {
  readonly #ports: OwnPorts;
  readonly #open = new Map<string, (reply: OwnReply) => void>();
  /** Ids that got no answer in time, or have been answered. */
  readonly #spent = new Set<string>();
  #last = 0;
  #isClosed = false;

  /** Starts with none. */
  constructor(ports: OwnPorts) {
    this.#ports = ports;
  }

  /** The host uses an id, as written: ours keep away from it. */
  avoid(id: string): void {
    if (!id.startsWith(OURS)) return;
    const n = Number(/^"hoist-(\d{1,15})"$/.exec(id)?.[1]);
    if (n > this.#last) this.#last = n + STRIDE;
    this.#spent.delete(id);
  }

  /** Whether nothing can be asked any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** An id that nobody uses, as written. */
  nextId(): string {
    this.#last = this.#ports.nextNumber?.(this.#last) ?? this.#last + 1;
    return `${OURS}${this.#last}"`;
  }

  /** Settles when no request of ours with that id, as written, is under way; undefined if none is. */
  whenFree(id: string): Promise<void> | undefined {
    if (!id.startsWith(OURS) || !this.#open.has(id)) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    const settle = this.#open.get(id);
    this.#open.set(id, (reply) => {
      settle?.(reply);
      resolve();
    });
    return promise;
  }

  /**
   * Sends a request.
   *
   * @param id Its id, from {@linkcode nextId}.
   * @param line The request.
   * @param how How long the answer may take, in milliseconds, and whether the server is told when
   *   it took too long.
   * @returns The request.
   */
  send(
    id: string,
    line: Uint8Array,
    { ms, isCancelled }: { readonly ms: number; readonly isCancelled: boolean },
  ): OwnRequest {
    if (this.#isClosed) return { reply: Promise.resolve({ kind: "closed" }), cancel() {} };
    const { promise, resolve } = Promise.withResolvers<OwnReply>();
    const settle = (reply: OwnReply) => {
      if (!this.#open.delete(id)) return;
      stopTimer();
      this.#spent.add(id);
      resolve(reply);
    };
    const giveUp = (kind: "late" | "cancelled") => {
      if (!this.#open.has(id)) return;
      settle({ kind });
      if (!isCancelled) return;
      this.#ports.send(cancelled(id, kind === "late" ? "it took too long" : "it is not needed"));
    };
    const stopTimer = this.#ports.later(ms, () => giveUp("late"));
    this.#open.set(id, settle);
    this.#ports.send(line);
    return { reply: promise, cancel: () => giveUp("cancelled") };
  }

  /**
   * Takes a response of the server.
   *
   * @param message The response.
   * @returns Whether it answers a request of ours, in time or not: then it is not the host's.
   */
  settle(message: SeenMessage): boolean {
    if (this.#open.size === 0 && this.#spent.size === 0) return false;
    const { key: id } = message; // Of an id like ours key and text are one.
    if (!id.startsWith(OURS)) return false;
    const open = this.#open.get(id);
    if (open === undefined) return this.#spent.has(id);
    open({ kind: "answer", message: message.kept() });
    return true;
  }

  /** Whether a notification of the server is about the progress of a request of ours. */
  isProgress({ method, value }: SeenMessage): boolean {
    if (method !== "notifications/progress") return false;
    const token = JSON.stringify(at(value, "params", "progressToken"));
    return this.#open.has(token) || this.#spent.has(token);
  }

  /** A request will not be answered any more. */
  lose(id: string): void {
    this.#open.get(id)?.({ kind: "closed" });
  }

  /** The session ends: nothing will be answered any more. */
  close(): void {
    this.#isClosed = true;
    for (const settle of [...this.#open.values()]) settle({ kind: "closed" });
  }
}
