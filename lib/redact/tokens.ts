/**
 * Texts as the units that redaction hides: what stands between spaces, without the
 * punctuation around it.
 *
 * @module
 */

/** Punctuation that may stand around a value; inside it belongs to the value. */
const TOKEN = /[^\s"'`()[\]{}<>,;|]+/g;
const EDGES = /^([#*_.:!?]*)(.*?)([*_.:!?]*)$/s;

/** The values of a text, in order, without leading `#` and closing punctuation. */
export function tokensOf(text: string): string[] {
  return (text.match(TOKEN) ?? []).flatMap((token) => {
    const core = EDGES.exec(token)?.[2] ?? "";
    return core === "" ? [] : [core];
  });
}

/**
 * Rewrites the values of a text and leaves everything around them.
 *
 * @param text Any text.
 * @param rewrite What a value becomes; undefined leaves it.
 * @returns The text; a `#` before a rewritten value goes with it.
 */
export function rewriteTokens(text: string, rewrite: (core: string) => string | undefined): string {
  return text.replace(TOKEN, (token) => {
    const [, before = "", core = "", after = ""] = EDGES.exec(token) ?? [];
    const made = core === "" ? undefined : rewrite(core);
    return made === undefined ? token : before.replace(/#/g, "") + made + after;
  });
}
