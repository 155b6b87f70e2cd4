/**
 * Text from agents made safe to show to the owner: what a terminal would obey,
 * or what would hide or reorder letters, is shown as its code point instead.
 *
 * @module
 */

/** Controls but tab and line feed, and invisible or reordering marks. */
const UNSAFE =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/**
 * Makes a text safe to show.
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
