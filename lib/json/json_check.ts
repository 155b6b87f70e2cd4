/**
 * Checks that bytes are one JSON value (RFC 8259) in valid UTF-8 without building
 * the value. It accepts exactly the bytes whose text `JSON.parse` accepts; a
 * property test holds the two equal.
 *
 * The recorder checks each line before it copies the line's bytes into the log.
 * Parsing costs ten times as much for a small line and builds unused objects
 * (docs/decisions/0003-json-check.md). Bytes may come in pieces, so a line of
 * many megabytes is never joined.
 *
 * @module
 */

// What the next byte may be. Values after KEY_STRING stand inside a token.
const VALUE = 0; // a value
const VALUE_OR_END = 1; // a value or "]", right after "["
const KEY_OR_END = 2; // a key or "}", right after "{"
const KEY = 3; // a key, after "," in an object
const COLON = 4;
const AFTER = 5; // ",", "]" or "}" inside a container, else only white space
const STRING = 6;
const ESCAPE = 7;
const HEX = 8;
const UTF8 = 9; // continuation bytes
const LITERAL = 10; // inside true, false or null
const MINUS = 11; // after "-"
const ZERO = 12; // after a leading 0
const INT = 13;
const DOT = 14; // after ".", a digit must follow
const FRACTION = 15;
const EXP = 16; // after "e", a sign or a digit must follow
const EXP_SIGN = 17;
const EXP_DIGITS = 18;
const FAILED = 19;

const ARRAY = 0;
const OBJECT = 1;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** 1 for a byte that stands for itself inside a string. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, c) => {
  return c >= 0x20 && c < 0x80 && c !== QUOTE && c !== BACKSLASH ? 1 : 0;
});

const TRUE = [0x72, 0x75, 0x65]; // "rue"
const FALSE = [0x61, 0x6c, 0x73, 0x65]; // "alse"
const NULL = [0x75, 0x6c, 0x6c]; // "ull"

/** Checks one value at a time: {@linkcode push} its bytes, then ask {@linkcode end}. */
export class JsonCheck {
  #state = VALUE;
  #stack = new Uint8Array(64);
  #depth = 0;
  #isKey = false;
  #literal: readonly number[] = TRUE;
  #left = 0; // of a literal, hex digits or UTF-8 continuation bytes
  #low = 0x80; // bounds of the next continuation byte
  #high = 0xbf;

  /** Takes the next bytes of the value, from `start` to `end` (exclusive) of `bytes`. */
  push(bytes: Uint8Array, start: number, end: number): void {
    let state = this.#state;
    let i = start;
    while (i < end && state !== FAILED) {
      if (state === STRING) {
        while (i < end && PLAIN[bytes[i] ?? 0] === 1) i++;
        if (i === end) break;
        const c = bytes[i] ?? 0;
        if (c >= 0x80) {
          const length = wholeCharacter(bytes, i, end);
          if (length > 0) {
            i += length;
            continue;
          }
          state = this.#lead(c); // cut here, rare or wrong: byte by byte
        } else if (c === QUOTE) state = this.#isKey ? COLON : AFTER;
        else state = c === BACKSLASH ? ESCAPE : FAILED;
        i++;
      } else {
        state = this.#step(state, bytes[i++] ?? 0);
      }
    }
    this.#state = state;
  }

  /** Ends the value and resets the check; returns whether the bytes were one JSON value. */
  end(): boolean {
    const state = this.#state;
    const whole = state === AFTER || state === ZERO || state === INT || state === FRACTION ||
      state === EXP_DIGITS;
    const valid = whole && this.#depth === 0;
    this.#state = VALUE;
    this.#depth = 0;
    if (this.#stack.length > 65_536) this.#stack = new Uint8Array(64);
    return valid;
  }

  #step(state: number, c: number): number {
    switch (state) {
      case VALUE:
        return isSpace(c) ? state : this.#value(c);
      case VALUE_OR_END:
        if (isSpace(c)) return state;
        return c === 0x5d ? this.#close(ARRAY) : this.#value(c);
      case KEY_OR_END:
        if (c === 0x7d) return this.#close(OBJECT);
        return this.#key(state, c);
      case KEY:
        return this.#key(state, c);
      case COLON:
        if (c === 0x3a) return VALUE;
        return isSpace(c) ? state : FAILED;
      case AFTER:
        return this.#after(c);
      case ESCAPE:
        return this.#escape(c);
      case HEX:
        if (!isHex(c)) return FAILED;
        return --this.#left === 0 ? STRING : HEX;
      case UTF8:
        return this.#continuation(c);
      case LITERAL:
        if (c !== this.#literal[this.#literal.length - this.#left]) return FAILED;
        return --this.#left === 0 ? AFTER : LITERAL;
      default:
        return this.#number(state, c);
    }
  }

  #value(c: number): number {
    if (c === QUOTE) {
      this.#isKey = false;
      return STRING;
    }
    if (c === 0x7b) return this.#open(OBJECT);
    if (c === 0x5b) return this.#open(ARRAY);
    if (c === 0x2d) return MINUS;
    if (c === 0x30) return ZERO;
    if (isDigit(c)) return INT;
    if (c === 0x74) return this.#word(TRUE);
    if (c === 0x66) return this.#word(FALSE);
    if (c === 0x6e) return this.#word(NULL);
    return FAILED;
  }

  #word(rest: readonly number[]): number {
    this.#literal = rest;
    this.#left = rest.length;
    return LITERAL;
  }

  #key(state: number, c: number): number {
    if (c === QUOTE) {
      this.#isKey = true;
      return STRING;
    }
    return isSpace(c) ? state : FAILED;
  }

  #open(kind: number): number {
    if (this.#depth === this.#stack.length) {
      const wider = new Uint8Array(this.#stack.length * 2);
      wider.set(this.#stack);
      this.#stack = wider;
    }
    this.#stack[this.#depth++] = kind;
    return kind === OBJECT ? KEY_OR_END : VALUE_OR_END;
  }

  #close(kind: number): number {
    if (this.#depth === 0 || this.#stack[this.#depth - 1] !== kind) return FAILED;
    this.#depth--;
    return AFTER;
  }

  #after(c: number): number {
    if (c === 0x2c) {
      if (this.#depth === 0) return FAILED;
      return this.#stack[this.#depth - 1] === OBJECT ? KEY : VALUE;
    }
    if (c === 0x7d) return this.#close(OBJECT);
    if (c === 0x5d) return this.#close(ARRAY);
    return isSpace(c) ? AFTER : FAILED;
  }

  #escape(c: number): number {
    if (c === 0x75) {
      this.#left = 4;
      return HEX;
    }
    // " \ / b f n r t
    const known = c === QUOTE || c === BACKSLASH || c === 0x2f || c === 0x62 || c === 0x66 ||
      c === 0x6e || c === 0x72 || c === 0x74;
    return known ? STRING : FAILED;
  }

  /** The first byte of a character beyond ASCII; the bounds are table 3-7 of the Unicode Standard. */
  #lead(c: number): number {
    this.#low = 0x80;
    this.#high = 0xbf;
    if (c >= 0xc2 && c <= 0xdf) this.#left = 1;
    else if (c >= 0xe0 && c <= 0xef) {
      this.#left = 2;
      if (c === 0xe0) this.#low = 0xa0;
      if (c === 0xed) this.#high = 0x9f;
    } else if (c >= 0xf0 && c <= 0xf4) {
      this.#left = 3;
      if (c === 0xf0) this.#low = 0x90;
      if (c === 0xf4) this.#high = 0x8f;
    } else return FAILED;
    return UTF8;
  }

  #continuation(c: number): number {
    if (c < this.#low || c > this.#high) return FAILED;
    this.#low = 0x80;
    this.#high = 0xbf;
    return --this.#left === 0 ? STRING : UTF8;
  }

  #number(state: number, c: number): number {
    if (isDigit(c)) {
      if (state === MINUS) return c === 0x30 ? ZERO : INT;
      if (state === INT) return INT;
      if (state === DOT || state === FRACTION) return FRACTION;
      return state === ZERO ? FAILED : EXP_DIGITS;
    }
    const whole = state === ZERO || state === INT;
    if (c === 0x2e) return whole ? DOT : FAILED;
    if (c === 0x65 || c === 0x45) return whole || state === FRACTION ? EXP : FAILED;
    if (c === 0x2b || c === 0x2d) return state === EXP ? EXP_SIGN : FAILED;
    return whole || state === FRACTION || state === EXP_DIGITS ? this.#after(c) : FAILED;
  }
}

/** Length of the character beyond ASCII at `i` when it is plainly well formed, else 0. */
function wholeCharacter(bytes: Uint8Array, i: number, end: number): number {
  const lead = bytes[i] ?? 0;
  if (lead >= 0xe1 && lead <= 0xef && lead !== 0xed) {
    return i + 2 < end && isTail(bytes[i + 1]) && isTail(bytes[i + 2]) ? 3 : 0;
  }
  if (lead >= 0xc2 && lead <= 0xdf) return i + 1 < end && isTail(bytes[i + 1]) ? 2 : 0;
  if (lead < 0xf1 || lead > 0xf3 || i + 3 >= end) return 0;
  return isTail(bytes[i + 1]) && isTail(bytes[i + 2]) && isTail(bytes[i + 3]) ? 4 : 0;
}

function isTail(c: number | undefined): boolean {
  return c !== undefined && (c & 0xc0) === 0x80;
}

function isSpace(c: number): boolean {
  return c === 0x20 || c === 0x09 || c === 0x0a || c === 0x0d;
}

function isDigit(c: number): boolean {
  return c >= 0x30 && c <= 0x39;
}

function isHex(c: number): boolean {
  return isDigit(c) || (c >= 0x41 && c <= 0x46) || (c >= 0x61 && c <= 0x66);
}
