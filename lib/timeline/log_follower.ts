/**
 * Follows a log line by line: each message with its exchange, its call, and the
 * events of the episode as soon as they are final.
 *
 * Memory is bounded by open requests and the current turn, so a log of any length
 * can be read. {@linkcode traceOf} derives the same for a log in memory.
 *
 * @module
 */

import type { LogLine } from "../log/log.ts";
import { type Call, CallFinder, type CallStep } from "../trace/calls.ts";
import { EventWriter, type PlacedEvent } from "../trace/log_episode.ts";
import { Pairer, type WireExchange } from "../trace/pairing.ts";
import { type Parties, PartyFinder } from "../trace/parties.ts";
import { TurnFinder, type TurnOptions } from "../trace/turns.ts";
import { messagesOf, type WireMessage } from "../trace/wire_messages.ts";

/** A message and its place in the session. */
export interface FollowedMessage {
  /** The message. */
  readonly message: WireMessage;
  /** Its exchange, if any. Earlier messages in it have no content. */
  readonly exchange: WireExchange | undefined;
  /** The step of a call that the message is. */
  readonly step: CallStep | undefined;
  /** The call of its exchange. An answer's call has no arguments. */
  readonly call: Call | undefined;
}

/** Follows one log. */
export class LogFollower {
  readonly #pairer = new Pairer({ keeps: "heads" });
  readonly #calls = new CallFinder({ keeps: "heads" });
  readonly #parties = new PartyFinder();
  readonly #turns: TurnFinder;
  readonly #writer = new EventWriter();
  readonly #onEvent: ((event: PlacedEvent) => void) | undefined;
  #index = 0;

  /**
   * Starts before the first line.
   *
   * @param options The time limit between calls of one turn.
   * @param onEvent Called with each event of the episode, in order.
   */
  constructor(options: TurnOptions, onEvent?: (event: PlacedEvent) => void) {
    this.#turns = new TurnFinder(options);
    this.#onEvent = onEvent;
  }

  /** The ends of the session, as far as they have introduced themselves. */
  get parties(): Parties {
    return this.#parties.parties;
  }

  /** The events that were not handed out yet, of a session that goes on. */
  get heldEvents(): readonly PlacedEvent[] {
    return this.#writer.held;
  }

  /**
   * Takes the next line.
   *
   * @param line The line.
   * @returns Its messages.
   */
  take(line: LogLine): FollowedMessage[] {
    const messages = messagesOf(line, this.#index);
    this.#index += messages.length;
    return messages.map((message) => this.#follow(message));
  }

  /** Ends the log: hands out the events of the last turn. */
  end(): void {
    if (this.#onEvent !== undefined) this.#writer.rest().forEach(this.#onEvent);
  }

  #follow(message: WireMessage): FollowedMessage {
    const exchange = this.#pairer.take(message);
    const step = exchange === undefined ? undefined : this.#calls.take(message, exchange);
    this.#parties.take(message, exchange);
    if (this.#onEvent !== undefined) {
      this.#writer.take(message, step, this.#turns.take(message, step));
      this.#writer.drain(this.#turns.isOver).forEach(this.#onEvent);
    }
    const call = step?.call ?? (exchange === undefined ? undefined : this.#calls.callOf(exchange));
    return { message, exchange, step, call };
  }
}
