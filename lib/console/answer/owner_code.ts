/**
 * The owner's code: what the terminal of the console shows, and each approval on a page asks for.
 *
 * A page's cookie approves nothing, so neither a script on a page nor a program that took the cookie
 * can. Three wrong codes in a row end a code; the terminal shows the next one.
 *
 * @module
 */

/** Wrong codes in a row that end a code. */
const MAX_WRONG = 3;

/** Letters and digits that nobody mistakes for others: 31 of them, so eight are 39 bits. */
const SYMBOLS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";
const LENGTH = 8;

/** The code of one run. */
export class OwnerCode {
  readonly #random: (below: number) => number;
  readonly #show: (code: string) => void;
  #code = "";
  #wrong = 0;

  /**
   * Makes the first code and shows it.
   *
   * @param random A whole number from 0, below a limit, by chance.
   * @param show Shows a code to the owner alone.
   */
  constructor(random: (below: number) => number, show: (code: string) => void) {
    this.#random = random;
    this.#show = show;
    this.#renew();
  }

  /**
   * Checks what was typed. Case and separators are free.
   *
   * @param typed The text.
   * @returns Whether it is the code; a third wrong one in a row makes another.
   */
  isRight(typed: string): boolean {
    const plain = typed.toUpperCase().replaceAll(/[^A-Z0-9]/g, "");
    if (plain === this.#code) {
      this.#wrong = 0;
      return true;
    }
    if (++this.#wrong >= MAX_WRONG) this.#renew();
    return false;
  }

  #renew(): void {
    this.#wrong = 0;
    this.#code = Array.from({ length: LENGTH }, () => SYMBOLS[this.#random(SYMBOLS.length)] ?? "A")
      .join("");
    this.#show(`${this.#code.slice(0, 4)}-${this.#code.slice(4)}`);
  }
}
