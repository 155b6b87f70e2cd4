/**
 * Folds of tasks: every episode of a task falls into the same one.
 *
 * @module
 */

/** How many folds. */
export const FOLDS = 5;

/**
 * The hash of a task: FNV-1a of 64 bits, then a mixer, since an unmixed hash of
 * consecutive ids clusters.
 *
 * @param task The task's id.
 * @returns 64 bits.
 */
export function taskHash(task: string): bigint {
  const mask = (1n << 64n) - 1n;
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(task)) {
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & mask;
  }
  hash = ((hash ^ (hash >> 33n)) * 0xff51afd7ed558ccdn) & mask;
  hash = ((hash ^ (hash >> 33n)) * 0xc4ceb9fe1a85ec53n) & mask;
  return hash ^ (hash >> 33n);
}

/**
 * The fold of a task that may never have been seen: by its id alone.
 *
 * @param task The task's id.
 * @returns 0 to 4.
 */
export function taskFold(task: string): number {
  return Number(taskHash(task) % BigInt(FOLDS));
}
