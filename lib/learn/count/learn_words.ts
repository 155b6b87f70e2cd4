/**
 * The customer's words that tell which lookups come: "exchange", "delayed".
 *
 * A word is kept when it was said in at least three tasks and goes with some
 * tool's use more than chance would have it. Words that name people or records
 * are never kept: no digits, nothing that any call passed as a name or an id, nothing
 * that a result shows under a name or an address.
 *
 * @module
 */

import type { ReadResult } from "../../flow/state/flow_state.ts";
import { looksLikeId, wordsOf } from "../../flow/state/values.ts";
import type { Episode } from "../../trace/episode.ts";
import { isObject } from "../../json/json.ts";
import { isPersonal } from "./learn_fields.ts";

/** At most this many words. */
const MAX_WORDS = 40;
/** Tasks a word must have been said in. */
const MIN_TASKS = 3;
/** Least |z| of the difference in log-odds. */
const MIN_Z = 1.6;

interface WordCount {
  readonly tasks: Set<string>;
  episodes: number;
  readonly withTool: Map<string, number>;
}

/** Counts words, an episode at a time. */
export class WordCounter {
  readonly #counts = new Map<string, WordCount>();
  readonly #names = new Set<string>();
  readonly #withTool = new Map<string, number>();
  #episodes = 0;
  readonly #tasks = new Set<string>();

  /** Starts with nothing. */
  constructor(readonly read: ReadResult) {}

  /** Counts an episode. */
  add(episode: Episode): void {
    const words = new Set<string>();
    for (const event of episode.events) {
      if (event.kind === "user") { for (const word of wordsOf(event.text)) words.add(word); }
    }
    const tools = new Set(episode.calls.map((call) => call.name));
    this.#episodes++;
    this.#tasks.add(episode.task_id);
    for (const tool of tools) this.#withTool.set(tool, (this.#withTool.get(tool) ?? 0) + 1);
    for (const word of words) {
      if (word.length < 3 || looksLikeId(word)) continue;
      const count = this.#counts.get(word) ??
        { tasks: new Set(), episodes: 0, withTool: new Map() };
      this.#counts.set(word, count);
      if (count.tasks.size < MIN_TASKS) count.tasks.add(episode.task_id);
      count.episodes++;
      for (const tool of tools) count.withTool.set(tool, (count.withTool.get(tool) ?? 0) + 1);
    }
    for (const { arguments: args, answer } of episode.calls) {
      addNames(args, this.#names);
      if (answer === undefined || answer.error) continue;
      for (const [path, leaves] of this.read(answer.content).shown.leaves) {
        if (!isPersonal(path) || path.includes("*")) continue;
        for (const { text } of leaves) for (const word of wordsOf(text)) this.#names.add(word);
      }
    }
  }

  /** The words that tell most about the use of these tools, sorted. */
  words(tools: readonly string[]): string[] {
    const scored: [string, number][] = [];
    for (const [word, count] of this.#counts) {
      if (count.tasks.size < MIN_TASKS || this.#names.has(word)) continue;
      if (count.episodes < 5 || count.episodes > this.#episodes - 5) continue;
      const z = Math.max(...tools.map((tool) => this.#z(count, tool)));
      if (z >= MIN_Z) scored.push([word, z]);
    }
    return scored.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, MAX_WORDS)
      .map(([word]) => word).sort();
  }

  /**
   * How many standard errors the log-odds of the tool differ with the word. Episodes of one
   * task are near copies, so what counts is how many tasks there are.
   */
  #z(count: WordCount, tool: string): number {
    const scale = this.#tasks.size / this.#episodes;
    const a = scale * (count.withTool.get(tool) ?? 0);
    const b = scale * count.episodes - a;
    const c = scale * (this.#withTool.get(tool) ?? 0) - a;
    const d = scale * this.#episodes - a - b - c;
    const odds = Math.log(((a + 0.5) * (d + 0.5)) / ((b + 0.5) * (c + 0.5)));
    return Math.abs(odds) /
      Math.sqrt(1 / (a + 0.5) + 1 / (b + 0.5) + 1 / (c + 0.5) + 1 / (d + 0.5));
  }
}

/** One word passed alone, and every word of a value that looks like an id. */
function addNames(value: unknown, into: Set<string>): void {
  if (Array.isArray(value)) value.forEach((item) => addNames(item, into));
  else if (isObject(value)) Object.values(value).forEach((item) => addNames(item, into));
  else if (typeof value === "string") {
    const words = wordsOf(value);
    if (words.length === 1 || (looksLikeId(value) && value.length < 60)) {
      for (const word of words) into.add(word);
    }
  }
}
