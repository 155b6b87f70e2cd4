/**
 * Reads a log once for everything that is printed before its messages: who talked,
 * how much happened, and where turns begin.
 *
 * @module
 */

import type { LogHeader, LogLine } from "../log/log.ts";
import { LogFollower } from "./log_follower.ts";
import type { Parties } from "../trace/parties.ts";
import { isOfModel, type Summary, SummaryCounter } from "./summary.ts";
import type { TurnOptions } from "../trace/turns.ts";

/** A session at a glance. */
export interface Overview {
  /** First line of the log; undefined when it is unreadable. */
  readonly header: LogHeader | undefined;
  /** The host's application and the server. */
  readonly parties: Parties;
  /** The numbers. */
  readonly summary: Summary;
  /**
   * Whether the session is only a probe: to find the server's era, a host starts its command with a
   * single `server/discover`, then again for the real session.
   */
  readonly isProbe: boolean;
  /** The index of the first message of each turn of the model, in order. */
  readonly turnStarts: readonly number[];
}

/** Makes the overview of one log, line by line. */
export class OverviewReader {
  readonly #counter = new SummaryCounter();
  readonly #turnStarts: number[] = [];
  readonly #follower: LogFollower;
  #asks = 0;
  #discovers = 0;

  /** Starts before the first line. */
  constructor(options: TurnOptions = {}) {
    this.#follower = new LogFollower(options, (placed) => {
      this.#counter.event(placed);
      const { event, index } = placed;
      if (event.kind === "assistant" && isOfModel(event)) this.#turnStarts.push(index);
    });
  }

  /** Takes the next line. */
  take(line: LogLine): void {
    this.#counter.line(line);
    for (const { message } of this.#follower.take(line)) {
      if (message.from !== "client" || !("method" in message)) continue;
      this.#asks++;
      if (message.method === "server/discover") this.#discovers++;
    }
  }

  /** Ends the log, and gives its overview. */
  end(header: LogHeader | undefined): Overview {
    this.#follower.end();
    return {
      header,
      parties: this.#follower.parties,
      summary: this.#counter.summary,
      isProbe: this.#asks > 0 && this.#asks === this.#discovers,
      turnStarts: this.#turnStarts,
    };
  }
}
