/**
 * Answers of recorded sessions, to try a procedure on without any server.
 *
 * @module
 */

import { callKey } from "../flow/call_key.ts";
import type { Manifest } from "../trace/manifest.ts";
import type { SolvedTask } from "./task.ts";
import type { Answerer } from "./trial.ts";

/**
 * Answers from what the task's sessions were answered: a read as it was before any write, a
 * write as it was.
 *
 * @param task The task.
 * @param manifest Its tools.
 * @returns Answers what a session of the task asked; undefined for anything else.
 */
export function recordedWorld(task: SolvedTask, manifest: Manifest): Answerer {
  const known = new Map<string, { readonly error: boolean; readonly content: string }>();
  for (const course of task.courses) {
    let hasWritten = false;
    for (const { tool, arguments: args, answer } of course.calls) {
      if (answer === undefined) continue;
      const isWrite = manifest.tools[tool] === "write";
      if (isWrite && answer.error) continue;
      hasWritten ||= isWrite;
      const key = callKey(tool, args);
      if (isWrite || !hasWritten) known.set(key, known.get(key) ?? answer);
    }
  }
  return (tool, args) => known.get(callKey(tool, args));
}
