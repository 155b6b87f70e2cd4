/**
 * Waits that end.
 *
 * @module
 */

/** Calls back once after so many milliseconds; the function it returns calls that off. */
export type Later = (ms: number, ring: () => void) => () => void;

/**
 * Waits for a promise, for so long.
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
