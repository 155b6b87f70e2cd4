/**
 * Answers of recorded sessions, to try a procedure on without any server.
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
 * Answers from what the task's sessions were answered: a read as it was before any write, a
 * write as it was. A read that they did not make is answered as in other tasks' sessions, where
 * all that made it were answered alike: a catalogue, not an order.
 *
 * @param tasks Every task.
 * @param manifest Their tools.
 * @returns What answers for one task; undefined for what no session tells.
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
