/**
 * A compact set of texts, kept as 53-bit hashes: 16 bytes an entry at most, however
 * long the text.
 *
 * Two different texts share a hash about once in 10^16 pairs. With a limit the set
 * forgets its older half when it is full, so it always knows the newest texts.
 *
 * @module
 */

const EMPTY = 0;
const FIRST_SLOTS = 1024;

/** A set of texts. */
export class ValueSet {
  readonly #most: number;
  #slots = new Float64Array(FIRST_SLOTS);
  #size = 0;
  #older: Float64Array | undefined;

  /**
   * Makes an empty set.
   *
   * @param most Number of texts after which the set starts to forget; at least half of them are
   *   always known.
   */
  constructor(most = Infinity) {
    this.#most = most;
  }

  /** Adds a text. */
  add(text: string): void {
    const hash = textHash(text);
    if (!put(this.#slots, hash)) return;
    this.#size++;
    if (this.#size * 2 >= this.#most) {
      this.#older = this.#slots;
      this.#slots = new Float64Array(FIRST_SLOTS);
      this.#size = 0;
    } else if (this.#size * 2 > this.#slots.length) this.#slots = grown(this.#slots);
  }

  /** Whether a text was added. */
  has(text: string): boolean {
    const hash = textHash(text);
    return holds(this.#slots, hash) || (this.#older !== undefined && holds(this.#older, hash));
  }

  /** Removes all texts. */
  clear(): void {
    this.#older = undefined;
    if (this.#size === 0) return;
    this.#size = 0;
    this.#slots = this.#slots.length === FIRST_SLOTS
      ? this.#slots.fill(EMPTY)
      : new Float64Array(FIRST_SLOTS);
  }
}

/** The 53-bit hash of a text: two 32-bit sums over its UTF-16 units, mixed; never 0. */
export function textHash(text: string): number {
  let a = 0x811c9dc5, b = 0x9e3779b9;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b);
  }
  a = Math.imul(a ^ (a >>> 15), 0x2c1b3c6d) ^ (b >>> 13);
  b = Math.imul(b ^ (b >>> 16), 0x297a2d39) ^ (a >>> 12);
  return (b & 0x1fffff) * 0x1_0000_0000 + (a >>> 0) + 1;
}

function slotOf(slots: Float64Array, hash: number): number {
  const mask = slots.length - 1;
  let at = (hash ^ (hash / 0x1_0000_0000)) & mask;
  while (slots[at] !== EMPTY && slots[at] !== hash) at = (at + 1) & mask;
  return at;
}

function holds(slots: Float64Array, hash: number): boolean {
  return slots[slotOf(slots, hash)] === hash;
}

/** Adds a hash; returns whether it is new. */
function put(slots: Float64Array, hash: number): boolean {
  const at = slotOf(slots, hash);
  if (slots[at] === hash) return false;
  slots[at] = hash;
  return true;
}

function grown(slots: Float64Array): Float64Array<ArrayBuffer> {
  const wider = new Float64Array(slots.length * 2);
  for (const hash of slots) if (hash !== EMPTY) put(wider, hash);
  return wider;
}
