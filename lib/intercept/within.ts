/**
 * Waits that end, and work that waits only where it has to.
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

/**
 * Work that yields what has to be waited for and goes on when that has settled. Where
 * nothing has to be waited for it is done in one step.
 */
export type Waiting<T> = Generator<Promise<void>, T, void>;

/**
 * Waits for a promise in such work.
 *
 * @param promise The promise.
 * @returns What it settled with.
 */
export function* waited<T>(promise: Promise<T | undefined>): Waiting<T | undefined> {
  let settled: T | undefined;
  yield promise.then((value) => void (settled = value));
  return settled;
}

/**
 * Does the rest of such work.
 *
 * @param work The work.
 * @param first Its first step, taken already.
 */
export async function finish<T>(
  work: Waiting<T>,
  first: IteratorResult<Promise<void>, T>,
): Promise<T> {
  let step = first;
  while (!step.done) step = await step.value.then(() => work.next(), (e) => work.throw(e));
  return step.value;
}
