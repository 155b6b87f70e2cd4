/**
 * Compiles patterns that find a value in a ticket: `\d{N}` matches N digits, `\e{}` an
 * e-mail address, `\x` the character x, any other character itself. Patterns have no
 * unbounded repetition and no branches, so that no ticket can make a match slow.
 *
 * @module
 */

/** A compiled pattern. */
export interface TicketPattern {
  readonly source: string;
  /** The first match in a text; undefined when there is none. */
  find(text: string): string | undefined;
  /** Whether it matches the whole text. */
  fits(text: string): boolean;
}

/** The pattern that matches any e-mail address. */
const E_MAIL = "\\e{}";

/** Every repetition is bounded, so that a long text cannot make it slow. */
const E_MAIL_FORM = "[\\p{L}\\p{N}._%+\\-]{1,64}@[\\p{L}\\p{N}\\-]{1,63}" +
  "(?:\\.[\\p{L}\\p{N}\\-]{1,63}){1,5}";

/**
 * Compiles a pattern.
 *
 * @param source The pattern.
 * @returns The compiled pattern. A match does not begin or end inside a run of letters or digits.
 * @throws {SyntaxError} When the pattern is empty or ends in a lone backslash.
 */
export function compilePattern(source: string): TicketPattern {
  if (source === "") throw new SyntaxError("a pattern is empty");
  const parts = [...source.matchAll(/\\d\{(\d{1,3})\}|\\e\{\}|\\([^])|([^\\])/g)];
  if (parts.reduce((n, [part]) => n + part.length, 0) !== source.length) {
    throw new SyntaxError(`the pattern "${source}" ends in a backslash`);
  }
  const body = parts.map(([part, digits, escaped, plain]) => {
    if (part === E_MAIL) return E_MAIL_FORM;
    return digits === undefined ? literal(escaped ?? plain ?? "") : `[0-9]{${digits}}`;
  }).join("");
  const search = new RegExp(`(?<![\\p{L}\\p{N}])${body}(?![\\p{L}\\p{N}])`, "u");
  const whole = new RegExp(`^${body}$`, "u");
  return {
    source,
    find: (text) => search.exec(text)?.[0],
    fits: (text) => whole.test(text),
  };
}

/**
 * Makes the pattern of a value: `\e{}` for an e-mail address, else each run of digits by its
 * length and the rest literally.
 *
 * @param value Such as `555-0102`.
 * @returns Such as `\d{3}\-\d{4}`.
 */
export function patternOf(value: string): string {
  if (new RegExp(`^${E_MAIL_FORM}$`, "u").test(value)) return E_MAIL;
  return value.replace(
    /[0-9]+|[^\p{L}\p{N}\s]/gu,
    (part) => /[0-9]/.test(part) ? `\\d{${part.length}}` : `\\${part}`,
  );
}

function literal(character: string): string {
  return /[\p{L}\p{N}\s]/u.test(character)
    ? character
    : `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
