/**
 * The names that rules use in one session. Built once per session; each check sets
 * the names of its call. A `let` is computed on first use, once per check.
 *
 * @module
 */

import type { RuleSet } from "./rules/compile_rules.ts";
import type { Names } from "./rules/expressions.ts";
import type { Facts } from "./facts.ts";

/** The names of one session. */
export class Scope {
  readonly #facts: Facts;
  readonly #names: Names = {};
  readonly #known = new Map<string, unknown>();

  /**
   * Starts with the constants, tables and `let`s of the rules.
   *
   * @param rules The rules.
   * @param facts The session's facts, read at each check.
   */
  constructor(rules: RuleSet, facts: Facts) {
    this.#facts = facts;
    for (const [name, value] of rules.constants) this.#names[name] = value;
    for (const [name, rows] of facts.tables) this.#names[name] = rows;
    for (const [name, expression] of rules.lets) {
      Object.defineProperty(this.#names, name, {
        enumerable: true,
        get: () => {
          if (!this.#known.has(name)) this.#known.set(name, expression(this.#names));
          return this.#known.get(name);
        },
      });
    }
  }

  /**
   * Sets the names for one check.
   *
   * @param given The names of the call.
   * @returns All names; valid until the next check.
   */
  names(given: Names): Names {
    this.#known.clear();
    return Object.assign(this.#names, this.#facts.conversation(), given);
  }
}
