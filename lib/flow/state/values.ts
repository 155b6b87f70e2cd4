/**
 * Values and words as flows compare them: one normal form for matching,
 * learning and redaction, and one test for what could name a person or a record.
 *
 * @module
 */

/** Months, for dates that a customer writes in words. */
const MONTHS =
  "january february march april may june july august september october november december"
    .split(" ");

/**
 * The form in which two values are the same: trimmed, lower case, no leading `#`.
 *
 * @param text A value as it stands in arguments or results.
 * @returns Its normal form.
 */
export function normalForm(text: string): string {
  return text.trim().toLowerCase().replace(/^#/, "");
}

/**
 * Whether a value could identify something: it holds a digit or an `@`.
 *
 * @param text The value.
 * @returns True for ids, dates, numbers and addresses.
 */
export function looksLikeId(text: string): boolean {
  return /[\d@]/.test(text);
}

/**
 * The words of a text: letters and digits, lower case, in order.
 *
 * @param text Any text.
 * @returns Its words.
 */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Values whose being said is remembered. */
const MAX_FOUND = 20_000;

/** Messages whose words are remembered: replay says the same ones again and again. */
const MAX_REMEMBERED = 8_000;
const remembered = new Map<string, readonly string[]>();

function wordsOnce(text: string): readonly string[] {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const words = wordsOf(text);
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(text, words);
  return words;
}

/** What the customer has said, ready to be searched. */
export class Words {
  #text = " ";
  /** How many words were said. */
  count = 0;
  readonly #set = new Set<string>();
  readonly #found = new Map<string, boolean>();

  /** Adds a message. */
  add(text: string): void {
    const words = wordsOnce(text);
    if (words.length === 0) return;
    this.count += words.length;
    this.#text += `${words.join(" ")} `;
    for (const word of words) {
      this.#set.add(word);
      if (word.length > 4 && word.endsWith("s")) this.#set.add(word.slice(0, -1));
    }
    this.#found.clear();
  }

  /** Whether nothing was said. */
  get isEmpty(): boolean {
    return this.#set.size === 0;
  }

  /** Whether this word was said, alone or as a plural. */
  hasWord(word: string): boolean {
    return this.#set.has(word);
  }

  /**
   * Whether the whole value was said, on word boundaries; spaces, hyphens and a
   * leading `#` do not matter, and a date may be said as "May 20".
   */
  mentions(value: string): boolean {
    const known = this.#found.get(value);
    if (known !== undefined) return known;
    const found = this.#set.size > 0 && spellings(value).some((s) => this.#text.includes(` ${s} `));
    if (this.#found.size >= MAX_FOUND) this.#found.clear();
    this.#found.set(value, found);
    return found;
  }
}

function spellings(value: string): string[] {
  const plain = wordsOf(value).join(" ");
  if (plain.length < 3) return [];
  const date = /^\d{4} (\d\d) (\d\d)$/.exec(plain);
  const month = MONTHS[Number(date?.[1]) - 1];
  if (date === null || month === undefined) return [plain];
  const day = Number(date[2]);
  const ending = day % 10 === 1 && day !== 11
    ? "st"
    : day % 10 === 2 && day !== 12
    ? "nd"
    : day % 10 === 3 && day !== 13
    ? "rd"
    : "th";
  return [plain, `${month} ${day}`, `${month} ${day}${ending}`, `${day} ${month}`];
}
