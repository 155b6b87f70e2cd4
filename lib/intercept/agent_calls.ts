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

import { type JsonObject, sameJson } from "../json/json.ts";
import { STRAGGLER_MS } from "../trace/turns.ts";

/** A call of the agent. */
export interface AgentCall {
  /** The request's id, as written. */
  readonly id: string;
  /** A name of its own, unlike that of any other call of the session. */
  readonly name: string;
  readonly tool: string;
  readonly arguments: JsonObject;
}

interface Waiting {
  readonly call: AgentCall;
  isInTurn: boolean;
}

/** A call whose server asked for input, until the host brings it. */
interface Paused {
  readonly call: AgentCall;
  readonly state: unknown;
}

/** Paused calls that are remembered: a host may never come back for one. */
const MAX_PAUSED = 64;

/** The calls of one session. */
export class AgentCalls {
  readonly #later: (ms: number, ring: () => void) => () => void;
  readonly #onTurnBroken: () => void;
  readonly #waiting = new Map<string, Waiting>();
  #paused: Paused[] = [];
  #inTurn = 0;
  #count = 0;
  #offTimer: () => void = () => {};

  /**
   * Starts with none.
   *
   * @param later Calls back once.
   * @param onTurnBroken A call has left its turn: what was queued in it is dropped.
   */
  constructor(
    later: (ms: number, ring: () => void) => () => void,
    onTurnBroken: () => void,
  ) {
    this.#later = later;
    this.#onTurnBroken = onTurnBroken;
  }

  /** Calls of the turn that wait. */
  get inTurn(): number {
    return this.#inTurn;
  }

  /** The call that waits under this key. */
  find(key: string): AgentCall | undefined {
    return this.#waiting.get(key)?.call;
  }

  /** The agent makes a call. */
  send(key: string, id: string, tool: string, args: JsonObject): AgentCall {
    const call = { id, name: `call-${++this.#count}`, tool, arguments: args };
    this.#add(key, call);
    return call;
  }

  /** The host brings the input a paused call asked for; undefined when this continues none. */
  resume(key: string, id: string, params: JsonObject): AgentCall | undefined {
    const { name, arguments: args = {}, requestState: state, inputResponses } = params;
    if (state === undefined && inputResponses === undefined) return undefined;
    const found = this.#paused.findLastIndex(({ call, state: asked }) =>
      call.tool === name && sameJson(call.arguments, args) && sameJson(asked, state)
    );
    const paused = found < 0 ? undefined : this.#paused.splice(found, 1)[0];
    if (paused === undefined) return undefined;
    const call = { ...paused.call, id };
    this.#add(key, call);
    return call;
  }

  /** A call's server asks for input: the call is over, and goes on when the host has it. */
  pause(key: string, state: unknown): void {
    const call = this.#take(key);
    if (call === undefined) return;
    this.#paused.push({ call, state });
    if (this.#paused.length > MAX_PAUSED) this.#paused.shift();
  }

  /** A call was answered. */
  answer(key: string): AgentCall | undefined {
    const call = this.#take(key);
    this.#offTimer();
    if (this.#inTurn > 0) {
      this.#offTimer = this.#later(STRAGGLER_MS, () => this.#breakTurn());
    }
    return call;
  }

  /** A call was given up: it leaves its turn. */
  drop(key: string): AgentCall | undefined {
    const wasInTurn = this.#waiting.get(key)?.isInTurn ?? false;
    const call = this.#take(key);
    if (wasInTurn) this.#onTurnBroken();
    return call;
  }

  /** The session ends. */
  close(): void {
    this.#offTimer();
  }

  #add(key: string, call: AgentCall): void {
    this.#take(key); // An id used again: its first call will not be told apart.
    this.#waiting.set(key, { call, isInTurn: true });
    this.#inTurn++;
    this.#offTimer();
  }

  #take(key: string): AgentCall | undefined {
    const found = this.#waiting.get(key);
    if (found === undefined) return undefined;
    this.#waiting.delete(key);
    if (found.isInTurn) this.#inTurn--;
    return found.call;
  }

  #breakTurn(): void {
    for (const waiting of this.#waiting.values()) waiting.isInTurn = false;
    this.#inTurn = 0;
    this.#onTurnBroken();
  }
}
