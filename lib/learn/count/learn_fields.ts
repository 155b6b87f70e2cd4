/**
 * The fields of results that what follows could depend on: a status, a cabin.
 *
 * A field counts when it takes two to twenty values, each seen in at least three
 * tasks; a value with a digit or an `@` never does, nor does what stands under a name or
 * an address. So none of them says who the customer is.
 *
 * @module
 */

import type { Cues } from "../../flow/flow.ts";
import type { ReadResult } from "../../flow/state/flow_state.ts";
import { looksLikeId } from "../../flow/state/values.ts";
import type { Episode } from "../../trace/episode.ts";
import type { Manifest } from "../../trace/manifest.ts";
import { sortedMap } from "./tally.ts";

/** Distinct values after which a field is data, not a status. */
const MAX_VALUES = 20;
/** Tasks a value must have been seen in. */
const MIN_TASKS = 3;
/** Longest value. */
const MAX_LENGTH = 30;

/** Keys under which people and places stand; what is there says who the customer is. */
const PERSONAL =
  /(?:^|[._])(?:(?:first|last|full|user|given|family|middle)_?name|name|e?mail|phone|address\w*|street|city|zip|postcode|dob|birth\w*)(?=$|[.[])/i;

/** Whether a path of a result leads to something personal. */
export function isPersonal(path: string): boolean {
  return PERSONAL.test(path.replace(/^\$\.?/, ""));
}

/** Counts fields, an episode at a time. */
export class FieldCounter {
  /** Tool, path, value to the tasks it was seen in; undefined for a field with too many values. */
  readonly #seen = new Map<string, Map<string, Map<string, Set<string>> | undefined>>();

  /** Starts with nothing. */
  constructor(readonly manifest: Manifest, readonly read: ReadResult) {}

  /** Counts an episode. */
  add(episode: Episode): void {
    for (const { name: tool, answer } of episode.calls) {
      if (answer === undefined || answer.error || this.manifest.tools[tool] !== "read") continue;
      const paths = this.#seen.get(tool) ?? new Map<string, Map<string, Set<string>> | undefined>();
      this.#seen.set(tool, paths);
      for (const [path, [leaf, ...more]] of this.read(answer.content).shown.leaves) {
        if (leaf === undefined || more.length > 0 || path.includes("*") || isPersonal(path)) {
          continue;
        }
        if (typeof leaf.json === "number" || leaf.text.length > MAX_LENGTH) continue;
        this.#count(paths, path, leaf.text, episode.task_id);
      }
    }
  }

  /** The fields and values that count. */
  fields(): Cues["fields"] {
    return sortedMap(
      [...this.#seen].map(([tool, paths]) => {
        const fields = [...paths].flatMap(([path, values]): [string, string[]][] => {
          const usual = [...values ?? []].filter(([text, tasks]) =>
            tasks.size >= MIN_TASKS && !looksLikeId(text)
          )
            .map(([text]) => text).sort();
          return usual.length < 2 ? [] : [[path, usual]];
        });
        return [tool, fields.sort(([a], [b]) => a < b ? -1 : 1)] as const;
      }).filter(([, fields]) => fields.length > 0),
    );
  }

  #count(
    paths: Map<string, Map<string, Set<string>> | undefined>,
    path: string,
    text: string,
    task: string,
  ): void {
    if (paths.has(path) && paths.get(path) === undefined) return;
    const values = paths.get(path) ?? new Map<string, Set<string>>();
    paths.set(path, values);
    const tasks = values.get(text) ?? new Set();
    if (tasks.size < MIN_TASKS) tasks.add(task);
    values.set(text, tasks);
    if (values.size > MAX_VALUES) paths.set(path, undefined);
  }
}
