/**
 * Reads flag values by type; a fault names the flag.
 *
 * @module
 */

import { expandHome } from "./expand_home.ts";
import type { FlagValues } from "./flags.ts";

const PROBABILITY = /^(?:0|1|0?\.\d+|0\.\d+|1\.0+)$/;
const COUNT = /^\d{1,6}$/;

/** The values of a command line. */
export class FlagReader {
  readonly #values: FlagValues;
  readonly #home: string | undefined;

  /** Reads `values`; `home` replaces a leading `~`, undefined when unknown. */
  constructor(values: FlagValues, home: string | undefined) {
    this.#values = values;
    this.#home = home;
  }

  /** A number that matches a pattern; undefined when the flag is not given. */
  number(name: string, form: RegExp, wanted: string): number | undefined {
    const text = this.#values.get(name);
    if (text === undefined) return undefined;
    if (!form.test(text)) throw new FlagFault(`--${name} takes ${wanted}, not "${text}"`);
    return Number(text);
  }

  /** A number from 0 to 1. */
  probability(name: string): number | undefined {
    return this.number(name, PROBABILITY, "a probability from 0 to 1");
  }

  /** A whole number. */
  count(name: string): number | undefined {
    return this.number(name, COUNT, "a whole number");
  }

  /** One of a list of words. */
  oneOf<T extends string>(name: string, among: readonly T[]): T | undefined {
    const text = this.#values.get(name);
    const found = among.find((choice) => choice === text);
    if (text !== undefined && found === undefined) {
      throw new FlagFault(`--${name} takes ${among.join(", ")}, not "${text}"`);
    }
    return found;
  }

  /** A path, its leading `~` replaced. */
  path(name: string): string | undefined {
    const given = this.#values.get(name);
    return given === undefined ? undefined : this.expanded(name, given);
  }

  /** The paths of a flag that repeats. */
  paths(name: string): string[] {
    return this.#values.all(name).map((given) => this.expanded(name, given));
  }

  /** A path that a flag has by default, its leading `~` replaced. */
  expanded(name: string, given: string): string {
    const path = expandHome(given, this.#home);
    if (path === null) {
      throw new FlagFault(`--${name} "${given}" begins with ~, but HOME is not set`);
    }
    return path;
  }
}

/** A flag has an invalid value. */
export class FlagFault extends Error {}
