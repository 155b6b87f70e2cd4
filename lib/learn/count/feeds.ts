/**
 * What results of lookups were used for: the arguments of writes that came from them.
 *
 * @module
 */

import type { Feed } from "../../flow/flow.ts";
import type { ReadResult } from "../../flow/state/flow_state.ts";
import { walk } from "../../replay/walk.ts";
import type { Episode } from "../../trace/episode.ts";
import type { Manifest } from "../../trace/manifest.ts";
import { findValue, isScalar } from "./sources.ts";
import { sortedMap } from "./tally.ts";

/** What was found once is chance. */
const MIN_COUNT = 2;

/** Counts arguments of writes by the lookup that showed them last, an episode at a time. */
export class FeedCounter {
  readonly #counts = new Map<string, Map<string, number>>();

  /** Starts with nothing. */
  constructor(readonly manifest: Manifest, readonly read: ReadResult) {}

  /** Counts an episode. */
  add(episode: Episode): void {
    const { tools } = this.manifest;
    walk(episode, this.manifest, this.read, {
      onCall: ({ name: tool, arguments: args }, { outputs }) => {
        if (tools[tool] !== "write") return;
        for (const [arg, given] of Object.entries(args)) {
          for (const value of (Array.isArray(given) ? given : [given]).filter(isScalar)) {
            const from = findValue(outputs, value);
            if (from === undefined || tools[from.tool] !== "read") continue;
            const fed = this.#counts.get(from.tool) ?? new Map<string, number>();
            this.#counts.set(from.tool, fed);
            const key = JSON.stringify([tool, arg]);
            fed.set(key, (fed.get(key) ?? 0) + 1);
          }
        }
      },
    });
  }

  /** Lookup to what it fed, most often first. */
  feeds(): Map<string, readonly Feed[]> {
    return sortedMap(
      [...this.#counts].map(([lookup, fed]): [string, Feed[]] => [
        lookup,
        [...fed].filter(([, count]) => count >= MIN_COUNT)
          .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
          .map(([key, count]) => {
            const [write, arg] = JSON.parse(key);
            return { write, arg, count };
          }),
      ]).filter(([, list]) => list.length > 0),
    );
  }
}
