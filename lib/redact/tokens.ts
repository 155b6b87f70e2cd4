/**
 * Splits texts into the units that redaction replaces: the parts between spaces, without
 * surrounding punctuation.
 *
 * @module
 */

/** Punctuation around a value; inside a value it belongs to the value. */
const TOKEN = /[^\s"'`()[\]{}<>,;|]+/g;
const EDGES = /^([#*_.:!?]*)(.*?)([*_.:!?]*)$/s;

/** The units of a text, in order, without a leading `#` and trailing punctuation. */
export function tokensOf(text: string): string[] {
  return (text.match(TOKEN) ?? []).flatMap((token) => {
    const core = EDGES.exec(token)?.[2] ?? "";
    return core === "" ? [] : [core];
  });
}

/**
 * Rewrites the units of a text and keeps the rest.
 *
 * @param text Any text.
 * @param rewrite Returns the replacement of a unit; undefined to keep it.
 * @returns The text; a `#` before a replaced unit is removed.
 */
export function rewriteTokens(text: string, rewrite: (core: string) => string | undefined): string {
  return text.replace(TOKEN, (token) => {
    const [, before = "", core = "", after = ""] = EDGES.exec(token) ?? [];
    const made = core === "" ? undefined : rewrite(core);
    return made === undefined ? token : before.replace(/#/g, "") + made + after;
  });
}
