/**
 * Makes an agent's text safe to show to the owner: control characters, and characters
 * that hide or reorder letters, are shown as their code points.
 *
 * @module
 */

/** Controls but tab and line feed, invisible or reordering marks, half characters, a blank letter. */
const UNSAFE = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * Replaces unsafe characters.
 *
 * @param text Any text.
 * @returns The text, each unsafe code point as `<U+XXXX>`.
 */
export function plainText(text: string): string {
  return text.replaceAll(
    UNSAFE,
    (point) => `<U+${(point.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`,
  );
}
