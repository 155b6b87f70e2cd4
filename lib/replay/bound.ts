/**
 * The full bound: the share of turns that a perfect flow could save.
 *
 * After each call it makes every read of the rest of the episode whose arguments
 * are all values of results or of arguments shown so far, transitively; it may
 * read again directly after a write, and the agent's repeats count. The
 * customer's words are no values; a map's keys are.
 *
 * @module
 */

import type { ReadResult } from "../flow/state/flow_state.ts";
import type { Episode, EpisodeCall } from "../trace/episode.ts";
import type { Manifest } from "../trace/manifest.ts";
import { isObject } from "../json/json.ts";

/**
 * Counts the turns a perfect flow saves.
 *
 * @param episode The episode.
 * @param manifest Which tools read.
 * @param read How results are read.
 * @returns Turns saved at best.
 */
export function fullBound(episode: Episode, manifest: Manifest, read: ReadResult): number {
  const finder = new BoundFinder(episode, manifest, read);
  let saved = 0;
  for (const event of episode.events) {
    if (event.kind === "assistant" && event.calls.length > 0) {
      if (event.calls.every((call) => finder.isMade(call))) saved++;
      finder.sent(event.calls);
    } else if (event.kind === "tool_result") finder.answered(event.call);
  }
  return saved;
}

class BoundFinder {
  readonly #values = new Set<string>();
  readonly #reads: Map<EpisodeCall, readonly string[]>;
  readonly #read: ReadResult;
  readonly #made = new Set<EpisodeCall>();
  readonly #index: Map<EpisodeCall, number>;
  #next = 0;

  constructor(episode: Episode, manifest: Manifest, read: ReadResult) {
    this.#read = read;
    this.#index = new Map(episode.calls.map((call, i) => [call, i]));
    this.#reads = new Map(
      episode.calls.filter((call) => call.by === "agent" && manifest.tools[call.name] === "read")
        .map((call) => [call, scalars(call.arguments)]),
    );
  }

  isMade(call: EpisodeCall): boolean {
    return call.by !== "agent" || this.#made.has(call);
  }

  sent(calls: readonly EpisodeCall[]): void {
    for (const call of calls) this.#next = Math.max(this.#next, (this.#index.get(call) ?? 0) + 1);
  }

  /** A call came back: make what can be made of the rest, and of what that shows. */
  answered(call: EpisodeCall): void {
    this.#show(call);
    for (let isNew = true; isNew;) {
      isNew = false;
      for (const [later, args] of this.#reads) {
        if (this.#made.has(later) || (this.#index.get(later) ?? 0) < this.#next) continue;
        if (!args.every((value) => this.#values.has(value))) continue;
        this.#made.add(later);
        this.#show(later);
        isNew = true;
      }
    }
  }

  #show(call: EpisodeCall): void {
    for (const value of scalars(call.arguments)) this.#values.add(value);
    if (call.answer === undefined || call.answer.error) return;
    for (const list of this.#read(call.answer.content).shown.leaves.values()) {
      for (const leaf of list) this.#values.add(leaf.text);
    }
  }
}

/** Every scalar of a value, as text. */
function scalars(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(scalars);
  if (isObject(value)) return Object.values(value).flatMap(scalars);
  return value === null || value === undefined ? [] : [String(value)];
}
