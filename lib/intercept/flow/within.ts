/**
 * A timeout for a promise.
 *
 * @module
 */

import type { Later } from "../chain/interceptor.ts";

/**
 * Waits for a promise, with a timeout.
 *
 * @param promise What is waited for; it never rejects.
 * @param ms How long, in milliseconds.
 * @param later The timer.
 * @returns What it settled with; undefined when it took longer.
 */
export async function within<T>(
  promise: Promise<T>,
  ms: number,
  later: Later,
): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const off = later(ms, () => resolve(undefined));
  const settled = await Promise.race([promise, late]);
  off();
  return settled;
}
