/**
 * The names that rules use, for one session. Made once: a check sets what is new
 * about its call, and each `let` is worked out when first asked for, once a check.
 *
 * @module
 */

import type { RuleSet } from "./rules/compile_rules.ts";
import type { Names } from "./rules/expressions.ts";
import type { Facts } from "./facts.ts";

/** The names of a session. */
export class Scope {
  readonly #facts: Facts;
  readonly #names: Names = {};
  readonly #known = new Map<string, unknown>();

  /**
   * Starts with constants, tables and `let`s.
   *
   * @param rules Whose.
   * @param facts What the session has shown; read anew at each check.
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
   * The names for one check.
   *
   * @param given What is known of its call.
   * @returns The names; good until the next check.
   */
  names(given: Names): Names {
    this.#known.clear();
    return Object.assign(this.#names, this.#facts.conversation(), given);
  }
}
