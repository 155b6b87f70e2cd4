/**
 * The JSON of a session for `hoist episodes --json`: the episode, its summary, and
 * the unreadable lines.
 *
 * @module
 */

import type { LogHeader, LogProblem, PartialLog } from "../log/log.ts";
import { recordedEpisode } from "../trace/episode.ts";
import type { RecordedEpisode } from "../trace/recorded_episode.ts";
import { episodeOf, type EpisodeOptions } from "../trace/log_episode.ts";
import type { Party } from "../trace/parties.ts";
import { traceOf } from "../trace/trace.ts";
import { type Summary, summary } from "./summary.ts";

/** An episode with its summary. */
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

/**
 * Builds the JSON of a session.
 *
 * @param log A log, or the readable part of one, with its header.
 * @param options The time limit between calls of one turn.
 * @returns A value for `JSON.stringify`.
 */
export function episodeJson(
  log: PartialLog & { readonly header: LogHeader },
  options: EpisodeOptions = {},
): EpisodeJson {
  const seen = traceOf(log);
  const episode = episodeOf(seen, log.header, options);
  const { client, server, protocol } = seen.parties;
  return {
    ...recordedEpisode(episode),
    summary: {
      started_unix_ms: log.header.started_unix_ms,
      host_session: log.header.host_session ?? null,
      server_name: log.header.server_name ?? null,
      host: client ?? null,
      server: server ?? null,
      protocol: protocol ?? null,
      ...summary(seen, episode.events),
    },
    problems: log.problems,
  };
}
