/**
 * Patterns of a ticket's values: `\d{N}` is N digits, `\e{}` an e-mail address,
 * `\x` a literal x, any other character itself. Nothing in them repeats without
 * bound or branches, so matching takes a bounded look at each place of the
 * ticket, whatever the ticket says.
 *
 * @module
 */

/** A pattern, compiled. */
export interface TicketPattern {
  readonly source: string;
  /** What it matches first; undefined when it matches nothing. */
  find(text: string): string | undefined;
  /** Whether it matches the whole text. */
  fits(text: string): boolean;
}

/** The pattern of any e-mail address. */
const E_MAIL = "\\e{}";

/** A form that a long text cannot make slow. */
const E_MAIL_FORM = "[\\p{L}\\p{N}._%+\\-]{1,64}@[\\p{L}\\p{N}\\-]{1,63}" +
  "(?:\\.[\\p{L}\\p{N}\\-]{1,63}){1,5}";

/**
 * Compiles a pattern.
 *
 * @param source The pattern.
 * @returns The matcher. A match does not begin or end within a run of letters or digits.
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
 * The pattern of a value: any address for an e-mail address; else its runs of digits by their
 * length, the rest literally.
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
