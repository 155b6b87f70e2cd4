/**
 * The agent's calls that wait for an answer, and the turn they stand in.
 *
 * A turn is open while a call of it waits. The result after which none waits is
 * the turn's last, the only one that may be held. A call that is given up, or
 * still waits ten seconds after the others, leaves its turn, and what was queued
 * behind them is dropped.
 *
 * @module
 */

import { type JsonObject, sameJson } from "../../json/json.ts";
import { STRAGGLER_MS } from "../../trace/turns.ts";
import type { AgentTurn, ChainCall, Later } from "./interceptor.ts";

interface Waiting {
  readonly call: ChainCall;
  isInTurn: boolean;
}

/** A call whose server asked for input, until the host brings it. */
interface Paused {
  readonly call: ChainCall;
  readonly state: unknown;
}

/** Paused calls that are remembered: a host may never come back for one. */
const MAX_PAUSED = 64;

/** The time, as a session has it. */
export interface CallClock {
  readonly later: Later;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonicMs: () => number;
}

/** The calls of one session. */
export class AgentCalls implements AgentTurn {
  readonly #clock: CallClock;
  readonly #listeners: (() => void)[] = [];
  readonly #waiting = new Map<string, Waiting>();
  #paused: Paused[] = [];
  #inTurn = 0;
  /** When the wait for stragglers began; undefined while nothing is waited for. */
  #waitsSinceMs: number | undefined;
  #offTimer: (() => void) | undefined;

  /** Starts with none. */
  constructor(clock: CallClock) {
    this.#clock = clock;
  }

  onBroken(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Calls of the turn that wait. */
  get inTurn(): number {
    return this.#inTurn;
  }

  /** The call that waits under this key. */
  find(key: string): ChainCall | undefined {
    return this.#waiting.get(key)?.call;
  }

  /** A call goes to the server. */
  send(key: string, call: ChainCall): void {
    this.#take(key); // An id used again: its first call will not be told apart.
    this.#waiting.set(key, { call, isInTurn: true });
    this.#inTurn++;
    this.#waitsSinceMs = undefined;
  }

  /** The paused call that a request continues with the input it asked for; undefined if none. */
  resume(id: string, params: JsonObject): ChainCall | undefined {
    const { name, arguments: args = {}, requestState: state, inputResponses } = params;
    if (state === undefined && inputResponses === undefined) return undefined;
    const found = this.#paused.findLastIndex(({ call, state: asked }) =>
      call.tool === name && sameJson(call.arguments, args) && sameJson(asked, state)
    );
    const paused = found < 0 ? undefined : this.#paused.splice(found, 1)[0];
    return paused && { ...paused.call, id, isResumed: true };
  }

  /** A call's server asks for input: the call is over, and goes on when the host has it. */
  pause(key: string, state: unknown): void {
    const call = this.#take(key);
    if (call === undefined) return;
    this.#paused.push({ call, state });
    if (this.#paused.length > MAX_PAUSED) this.#paused.shift();
  }

  /** A call was answered. */
  answer(key: string): void {
    this.#take(key);
    this.#waitsSinceMs = this.#inTurn > 0 ? this.#clock.monotonicMs() : undefined;
    if (this.#waitsSinceMs !== undefined) this.#offTimer ??= this.#ringIn(STRAGGLER_MS);
  }

  /** A call was given up: it leaves its turn. */
  drop(key: string): ChainCall | undefined {
    const wasInTurn = this.#waiting.get(key)?.isInTurn ?? false;
    const call = this.#take(key);
    if (wasInTurn) this.#tellBroken();
    return call;
  }

  /** The session ends. */
  close(): void {
    this.#offTimer?.();
    this.#waitsSinceMs = undefined;
  }

  /** One timer serves many answers: setting one for each would cost more than all else here. */
  #ringIn(ms: number): () => void {
    return this.#clock.later(ms, () => {
      this.#offTimer = undefined;
      if (this.#waitsSinceMs === undefined) return;
      const left = this.#waitsSinceMs + STRAGGLER_MS - this.#clock.monotonicMs();
      if (left > 0) this.#offTimer = this.#ringIn(left);
      else this.#breakTurn();
    });
  }

  #take(key: string): ChainCall | undefined {
    const found = this.#waiting.get(key);
    if (found === undefined) return undefined;
    this.#waiting.delete(key);
    if (found.isInTurn) this.#inTurn--;
    return found.call;
  }

  #breakTurn(): void {
    for (const waiting of this.#waiting.values()) waiting.isInTurn = false;
    this.#inTurn = 0;
    this.#waitsSinceMs = undefined;
    this.#tellBroken();
  }

  #tellBroken(): void {
    this.#listeners.forEach((listener) => listener());
  }
}
