/**
 * Prints a session as JSON for `hoist episodes --json`: the episode, its summary, and
 * the unreadable lines. The parts are printed as the log is read, so a long session
 * is never in memory.
 *
 * @module
 */

import type { LogHeader, LogLine, LogProblem } from "../log/log.ts";
import { LogFollower } from "./log_follower.ts";
import type { Overview } from "./overview.ts";
import type { RecordedEpisode } from "../trace/recorded_episode.ts";
import { episodeHead } from "../trace/log_episode.ts";
import type { Party } from "../trace/parties.ts";
import type { Summary } from "./summary.ts";
import type { TurnOptions } from "../trace/turns.ts";

/** An episode with its summary, as the JSON holds it. */
export interface EpisodeJson extends RecordedEpisode {
  /** Numbers and names. */
  readonly summary: Summary & {
    readonly started_unix_ms: number;
    readonly host_session: string | null;
    readonly server_name: string | null;
    readonly host: Party | null;
    readonly server: Party | null;
    readonly protocol: string | null;
  };
  /** The unreadable lines. */
  readonly problems: readonly LogProblem[];
}

/** Prints the JSON of one session. */
export class EpisodePrinter {
  readonly #overview: Overview;
  readonly #header: LogHeader;
  readonly #print: (text: string) => void;
  readonly #follower: LogFollower;
  #separator = "";
  #lines = 0;

  /**
   * Prints what comes before the events.
   *
   * @param overview The session at a glance.
   * @param header First line of its log.
   * @param print Called with each piece of the JSON.
   * @param options The time limit between calls of one turn.
   */
  constructor(
    overview: Overview,
    header: LogHeader,
    print: (text: string) => void,
    options: TurnOptions = {},
  ) {
    this.#overview = overview;
    this.#header = header;
    this.#print = print;
    this.#follower = new LogFollower(options, ({ event }) => {
      print(this.#separator);
      print(JSON.stringify(event));
      this.#separator = ",";
    });
    const head: Omit<EpisodeJson, "events" | "summary" | "problems"> = episodeHead(
      header,
      overview.parties,
    );
    print(`${JSON.stringify(head).slice(0, -1)},"events":[`);
  }

  /** Takes the next line of the log; one that the overview did not see is left out. */
  take(line: LogLine): void {
    if (++this.#lines <= this.#overview.summary.lines) this.#follower.take(line);
  }

  /** Prints the rest. */
  end(problems: readonly LogProblem[]): void {
    this.#follower.end();
    const { client, server, protocol } = this.#overview.parties;
    const rest: Pick<EpisodeJson, "summary" | "problems"> = {
      summary: {
        started_unix_ms: this.#header.started_unix_ms,
        host_session: this.#header.host_session ?? null,
        server_name: this.#header.server_name ?? null,
        host: client ?? null,
        server: server ?? null,
        protocol: protocol ?? null,
        ...this.#overview.summary,
      },
      problems,
    };
    this.#print(`],${JSON.stringify(rest).slice(1)}`);
  }
}
