/**
 * Episodes that can be walked several times, since learning takes several passes.
 *
 * @module
 */

import type { Episode } from "../trace/episode.ts";

/** Recorded sessions, each read when its turn comes. */
export interface EpisodeSource {
  /** The episodes, in the same order each time. */
  each(): AsyncIterable<Episode>;
}

/** Characters of answers and words that are kept in memory; more is read again in each pass. */
const MAX_KEPT = 40_000_000;

/**
 * Keeps the episodes of a source as long as they are few.
 *
 * @param source The episodes.
 * @returns The same episodes; memory stays bounded however many there are.
 */
export function kept(source: EpisodeSource): EpisodeSource {
  let episodes: Episode[] | undefined;
  let isTooMuch = false;
  return {
    async *each() {
      if (episodes !== undefined) return yield* episodes;
      let list: Episode[] = [];
      let size = 0;
      for await (const episode of source.each()) {
        size += isTooMuch ? 0 : sizeOf(episode);
        if (size > MAX_KEPT) {
          isTooMuch = true;
          list = [];
        }
        if (!isTooMuch) list.push(episode);
        yield episode;
      }
      if (!isTooMuch) episodes = list;
    },
  };
}

/** Those episodes of a source that fit. */
export function only(source: EpisodeSource, fits: (episode: Episode) => boolean): EpisodeSource {
  return {
    async *each() {
      for await (const episode of source.each()) if (fits(episode)) yield episode;
    },
  };
}

/** A source of a list. */
export function sourceOf(episodes: readonly Episode[]): EpisodeSource {
  return {
    async *each() {
      yield* episodes;
      await Promise.resolve();
    },
  };
}

function sizeOf(episode: Episode): number {
  let size = 200;
  for (const event of episode.events) {
    size += ((event.kind === "tool_result" ? event.content : event.text) ?? "").length;
  }
  return size;
}
