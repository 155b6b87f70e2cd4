/**
 * Cuts a long text into slices, so that encoding it needs little memory.
 *
 * @module
 */

/** A pair of surrogates is one character: it is never cut. */
const HIGH_SURROGATE = /[\ud800-\udbff]$/;

/**
 * Cuts a text.
 *
 * @param text The text.
 * @param length Length of a slice, in UTF-16 code units; one less where a character would be cut.
 */
export function* slices(text: string, length: number): Generator<string, void, void> {
  for (let start = 0; start < text.length;) {
    const slice = text.slice(start, start + length);
    const isCut = start + length < text.length && slice.length > 1 && HIGH_SURROGATE.test(slice);
    start += isCut ? slice.length - 1 : slice.length;
    yield isCut ? slice.slice(0, -1) : slice;
  }
}
