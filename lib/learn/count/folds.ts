/**
 * Tasks dealt into folds of equal size, for cross-validation.
 *
 * @module
 */

import { FOLDS, taskHash } from "../../flow/task_fold.ts";

export { FOLDS } from "../../flow/task_fold.ts";

/**
 * Deals tasks into folds of equal size, in the order of their hashes.
 *
 * @param tasks The tasks.
 * @returns Task to fold, 0 to 4.
 */
export function foldsOf(tasks: Iterable<string>): Map<string, number> {
  const hashed = [...new Set(tasks)].map((task) => ({ task, hash: taskHash(task) }));
  hashed.sort((a, b) => a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : a.task < b.task ? -1 : 1);
  return new Map(hashed.map(({ task }, i) => [task, i % FOLDS]));
}
