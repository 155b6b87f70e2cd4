/**
 * Answers calls in trials from recorded sessions, without a server.
 *
 * @module
 */

import { callKey } from "../flow/state/call_key.ts";
import type { Manifest } from "../trace/manifest.ts";
import type { SolvedTask } from "./solved_task.ts";
import type { TrialAnswerer } from "./trial.ts";

interface Answer {
  readonly error: boolean;
  readonly content: string;
}

/**
 * Indexes the recorded answers of tasks. A read gets the answer that the task's own sessions got
 * before their first write, a write the answer it got. A read that they did not make gets the
 * answer of other tasks' sessions if all of those agree, as for a catalogue.
 *
 * @param tasks Every task.
 * @param manifest The tools.
 * @returns The source of answers for one task; it returns undefined for an unknown call.
 */
export function trialAnswers(
  tasks: readonly SolvedTask[],
  manifest: Manifest,
): (task: SolvedTask) => TrialAnswerer {
  const own = new Map(tasks.map((task) => [task.id, answersIn(task, manifest)]));
  const common = new Map<string, Answer | undefined>();
  for (const task of tasks) {
    for (
      const { name: tool, arguments: args, answer } of task.episodes.flatMap(({ calls }) => calls)
    ) {
      if (answer === undefined || manifest.tools[tool] !== "read") continue;
      const key = callKey(tool, args);
      const isNew = !common.has(key);
      const known = common.get(key);
      const isSame = known?.content === answer.content && known.error === answer.error;
      common.set(key, isNew || isSame ? answer : undefined);
    }
  }
  return ({ id }) => (tool, args) => {
    const key = callKey(tool, args);
    return own.get(id)?.get(key) ?? common.get(key);
  };
}

function answersIn(task: SolvedTask, manifest: Manifest): Map<string, Answer> {
  const known = new Map<string, Answer>();
  for (const episode of task.episodes) {
    let hasWritten = false;
    for (const { name: tool, arguments: args, answer } of episode.calls) {
      if (answer === undefined) continue;
      const isWrite = manifest.tools[tool] === "write";
      if (isWrite && answer.error) continue;
      hasWritten ||= isWrite;
      const key = callKey(tool, args);
      if (isWrite || !hasWritten) known.set(key, known.get(key) ?? answer);
    }
  }
  return known;
}
