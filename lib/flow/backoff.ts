/**
 * Counts of what followed a history, backed off to shorter ones: the habit
 * (which action came next) and the reach (which came before the next write).
 *
 * P_j(a|c_j) = (n(c_j,a) + α·P_{j−1}(a|c_{j−1})) / (n(c_j) + α), and 1/V below
 * the shortest history.
 *
 * @module
 */

/** What followed one history. */
export interface Counts {
  /** Action to count. */
  readonly by_action: ReadonlyMap<number, number>;
  /** Steps seen. */
  readonly total: number;
}

/** Counts for histories of every length up to an order. */
export interface Backoff {
  /** Longest history. */
  readonly order: number;
  /** Weight of the shorter history. */
  readonly alpha: number;
  /** Number of actions. */
  readonly vocab_size: number;
  /** By length of history: history, as its symbols joined with commas, to counts. */
  readonly levels: readonly ReadonlyMap<string, Counts>[];
}

/**
 * The chance of an action.
 *
 * @param backoff The counts.
 * @param history The last symbols, oldest first, as many as the order.
 * @param action The action.
 * @returns Its smoothed share.
 */
export function chanceAfter(backoff: Backoff, history: readonly number[], action: number): number {
  let p = 1 / backoff.vocab_size;
  for (let j = 0; j <= backoff.order; j++) {
    p = smoothed(backoff.levels[j]?.get(keyOf(history, j)), action, p, backoff.alpha);
  }
  return p;
}

/**
 * One step of the back-off.
 *
 * @param counts What followed; undefined for a history never seen.
 * @param action The action.
 * @param shorter Its chance after the shorter history.
 * @param alpha The weight of that chance.
 * @returns Its chance after this one.
 */
export function smoothed(
  counts: Counts | undefined,
  action: number,
  shorter: number,
  alpha: number,
): number {
  if (counts === undefined) return shorter;
  return ((counts.by_action.get(action) ?? 0) + alpha * shorter) / (counts.total + alpha);
}

/** The key of a history's last `length` symbols. */
export function keyOf(history: readonly number[], length: number): string {
  return length === 0 ? "" : history.slice(-length).join(",");
}

/** Counts that grow. */
export class BackoffCounter {
  readonly levels: Map<string, { by_action: Map<number, number>; total: number }>[];

  /** Makes an empty counter. */
  constructor(readonly order: number) {
    this.levels = Array.from({ length: order + 1 }, () => new Map());
  }

  /** Counts one step: its history, and the actions to count after it. */
  add(history: readonly number[], actions: Iterable<number>, weight = 1): void {
    const list = [...actions];
    for (let j = 0; j <= this.order; j++) {
      const key = keyOf(history, j);
      let counts = this.levels[j]?.get(key);
      if (counts === undefined) {
        counts = { by_action: new Map(), total: 0 };
        this.levels[j]?.set(key, counts);
      }
      counts.total += weight;
      for (const a of list) counts.by_action.set(a, (counts.by_action.get(a) ?? 0) + weight);
    }
  }

  /** The counts with a weight for shorter histories. */
  done(alpha: number, vocabSize: number): Backoff {
    return { order: this.order, alpha, vocab_size: vocabSize, levels: this.levels };
  }
}
