/**
 * Arguments that lookups always pass with one value: a limit, a format, a flag.
 *
 * A constant stands in the flow file as it is, so it must say nothing of a customer: three
 * tasks share it, it holds no digit or `@` when it is text, it is no long number, and its
 * argument is no name or address.
 *
 * @module
 */

import { argKey, type Bindings } from "../../flow/flow.ts";
import type { Output, ReadResult } from "../../flow/state/flow_state.ts";
import { looksLikeId } from "../../flow/state/values.ts";
import { walk } from "../../replay/walk.ts";
import type { Episode, EpisodeCall } from "../../trace/episode.ts";
import type { Manifest } from "../../trace/manifest.ts";
import { isPersonal } from "./learn_fields.ts";
import { isScalar } from "./sources.ts";
import { sortedMap } from "./tally.ts";

/** Calls that must have passed the value. */
const MIN_CALLS = 5;
/** Tasks they must have been made in. */
const MIN_TASKS = 3;
/** A whole number this long may be somebody's. */
const LONG_NUMBER = 10_000;

/** What was found. */
export interface Constants {
  readonly constants: Bindings["constants"];
  /** Arguments with one value that a flow may not hold. */
  readonly dropped: number;
}

interface Passed {
  /** The one value; undefined once there are two. */
  value: string | number | boolean | undefined;
  calls: number;
  readonly tasks: Set<string>;
}

/** Counts arguments of lookups, an episode at a time. */
export class ConstantCounter {
  readonly #calls = new Map<string, number>();
  readonly #passed = new Map<string, { tool: string; arg: string; counts: Passed }>();

  /** Starts with nothing. */
  constructor(readonly manifest: Manifest, readonly read: ReadResult) {}

  /** Counts an episode. */
  add(episode: Episode): void {
    walk(episode, this.manifest, this.read, {
      onCall: (call, { outputs }) => {
        if (this.manifest.tools[call.name] !== "read") return;
        this.#calls.set(call.name, (this.#calls.get(call.name) ?? 0) + 1);
        this.#count(call, outputs, episode.task_id);
      },
    });
  }

  /** The constants among them. */
  done(): Constants {
    const constants: [string, string | number | boolean][] = [];
    let dropped = 0;
    for (const [key, { tool, arg, counts: { value, calls, tasks } }] of this.#passed) {
      if (value === undefined || calls < MIN_CALLS) continue;
      if (calls * 2 < (this.#calls.get(tool) ?? 0)) continue;
      if (tasks.size < MIN_TASKS || isSomebodys(value) || isPersonal(arg)) dropped++;
      else constants.push([key, value]);
    }
    return { constants: sortedMap(constants), dropped };
  }

  #count(
    { name: tool, arguments: args }: EpisodeCall,
    outputs: readonly Output[],
    task: string,
  ): void {
    for (const [arg, value] of Object.entries(args)) {
      const key = argKey(tool, arg);
      const isFirst = !this.#passed.has(key);
      const { counts } = this.#passed.get(key) ??
        { counts: { value: undefined, calls: 0, tasks: new Set<string>() } };
      if (isFirst) {
        counts.value = isScalar(value) ? value : undefined;
        this.#passed.set(key, { tool, arg, counts });
      } else if (counts.value !== value) counts.value = undefined;
      if (typeof value === "string" && isShown(outputs, value)) counts.value = undefined;
      counts.calls++;
      counts.tasks.add(task);
    }
  }
}

/**
 * Whether a result shows this text, so that it may come from there. A number or a truth
 * stands in results by chance, and says nothing.
 */
function isShown(outputs: readonly Output[], value: string): boolean {
  return outputs.some(({ result }) =>
    [...result.leaves.values()].some((leaves) => leaves.some(({ json }) => json === value))
  );
}

function isSomebodys(value: string | number | boolean): boolean {
  if (typeof value === "string") return looksLikeId(value);
  return typeof value === "number" && Math.abs(value) >= LONG_NUMBER;
}
