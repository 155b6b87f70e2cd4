/**
 * The benchmark's calculator: numbers, `+ - * /` and parentheses, rounded to cents and
 * printed as the benchmark prints floating-point numbers.
 *
 * @module
 */

import { refuseTool } from "./refusal.ts";

/**
 * Calculates an expression.
 *
 * @param expression Such as `2 * (3 + 4)`.
 * @returns The value with one or two decimals, such as `14.0`.
 * @throws {ToolRefusal} When the text is not an expression.
 */
export function calculate(expression: string): string {
  if (!/^[0-9+\-*/(). ]*$/.test(expression)) refuseTool("Invalid characters in expression");
  const parser = new Parser(expression.match(/\d+\.?\d*|\.\d+|[^ ]/g) ?? []);
  const value = roundCents(parser.whole());
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

/**
 * Rounds to cents, half to even.
 *
 * @param value The amount.
 * @returns The closest number with two decimals.
 */
export function roundCents(value: number): number {
  // Only eighths are exact halves of a cent in binary; toFixed rounds those away from zero.
  const eighths = value * 8;
  const isHalf = Number.isInteger(eighths) && eighths % 2 !== 0;
  if (!isHalf) return Number(value.toFixed(2));
  const below = Math.floor(value * 100);
  return (below % 2 === 0 ? below : below + 1) / 100;
}

/** Reads sums of products of signed numbers. */
class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  whole(): number {
    const value = this.#sum();
    return this.#at === this.#tokens.length ? value : invalid();
  }

  #sum(): number {
    let value = this.#product();
    for (;;) {
      if (this.#take("+")) value += this.#product();
      else if (this.#take("-")) value -= this.#product();
      else return value;
    }
  }

  #product(): number {
    let value = this.#signed();
    for (;;) {
      if (this.#take("*")) value *= this.#signed();
      else if (this.#take("/")) {
        const by = this.#signed();
        if (by === 0) refuseTool("division by zero");
        value /= by;
      } else return value;
    }
  }

  #signed(): number {
    if (this.#take("-")) return -this.#signed();
    if (this.#take("+")) return this.#signed();
    if (this.#take("(")) {
      const value = this.#sum();
      return this.#take(")") ? value : invalid();
    }
    const token = this.#tokens[this.#at++] ?? "";
    return /\d/.test(token) ? Number(token) : invalid();
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }
}

function invalid(): never {
  return refuseTool("invalid syntax (<string>, line 1)");
}
