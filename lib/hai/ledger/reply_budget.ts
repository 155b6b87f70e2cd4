/**
 * The size of lists: what a reply may hold in all, and how much of one long text it shows. Clients
 * refuse or choke on larger answers.
 *
 * @module
 */

/** Characters of the items of one list. */
const MAX_LIST_CHARS = 200_000;

/** Characters of one text in a list; the rest is cut, and the cut says so. */
const MAX_TEXT_CHARS = 20_000;

/** A part of a list. */
export interface Page<T> {
  /** The items that fit. */
  readonly items: T[];
  /** Whether items are left. */
  readonly isCut: boolean;
}

/**
 * Takes items while they fit.
 *
 * @param items The items, read one after the other: the rest is never read.
 * @param limit How many at most.
 * @returns The items, long texts cut; at least one if there is one.
 */
export function pageOf<T>(items: Iterable<T>, limit: number): Page<T> {
  const taken: T[] = [];
  let chars = 0;
  for (const item of items) {
    if (taken.length >= limit) return { items: taken, isCut: true };
    const cut = withCutTexts(item);
    chars += JSON.stringify(cut).length;
    if (taken.length > 0 && chars > MAX_LIST_CHARS) return { items: taken, isCut: true };
    taken.push(cut);
  }
  return { items: taken, isCut: false };
}

/** The same value with long texts cut. */
export function withCutTexts<T>(value: T): T;
export function withCutTexts(value: unknown): unknown {
  if (typeof value === "string") return cut(value);
  if (Array.isArray(value)) return value.map((item) => withCutTexts(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withCutTexts(member)]),
  );
}

function cut(text: string): string {
  if (text.length <= MAX_TEXT_CHARS) return text;
  const head = text.slice(0, MAX_TEXT_CHARS).replace(/[\ud800-\udbff]$/, "");
  return `${head} [cut: ${text.length - head.length} more characters]`;
}
