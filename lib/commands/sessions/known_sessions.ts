/**
 * Selects the sessions that concern a flow: those whose agent calls one of its tools.
 *
 * @module
 */

import type { Runtime } from "../../ports/runtime.ts";
import type { EpisodeSource } from "../../learn/episode_source.ts";
import type { Recordings } from "./recordings.ts";
import type { Manifest } from "../../trace/manifest.ts";

/** The sessions that concern a flow. */
export interface KnownSessions {
  readonly source: EpisodeSource;
  /** Says how many sessions were left out; call it after reading them. */
  say(runtime: Pick<Runtime, "say">): void;
}

/**
 * Leaves out sessions of other servers. A session without calls stays, since it belongs to none.
 *
 * @param source The sessions.
 * @param manifest The flow's tools.
 * @returns Those that are left.
 */
export function knownSessions(source: EpisodeSource, manifest: Manifest): KnownSessions {
  const foreign = new Set<string>();
  return {
    source: {
      async *each() {
        for await (const episode of source.each()) {
          const { id, calls } = episode;
          if (
            calls.length === 0 ||
            calls.some(({ name: tool }) => Object.hasOwn(manifest.tools, tool))
          ) {
            yield episode;
          } else foreign.add(id);
        }
      },
    },
    say: ({ say }) => {
      const [first] = foreign;
      if (first === undefined) return;
      const what = foreign.size === 1 ? "1 session calls" : `${foreign.size} sessions call`;
      say(
        `${what} no tool that the flow knows, left out: ${
          foreign.size > 1 ? "first " : ""
        }${first}`,
      );
    },
  };
}

/**
 * Leaves out sessions in which the agent called no tool, unless their reward was given: nothing
 * shows that they solved a task, so learning must not count them as solved.
 *
 * @param recordings The sessions.
 * @returns The sessions that are left.
 */
export function workedSessions({ source, isRated }: Recordings): KnownSessions {
  const idle = new Set<string>();
  return {
    source: {
      async *each() {
        for await (const episode of source.each()) {
          if (episode.calls.length > 0 || isRated(episode.id)) yield episode;
          else idle.add(episode.id);
        }
      },
    },
    say: ({ say }) => {
      if (idle.size === 0) return;
      const what = idle.size === 1 ? "1 session holds" : `${idle.size} sessions hold`;
      say(`${what} no call of the agent, left out: nothing shows that it solved a task`);
    },
  };
}
