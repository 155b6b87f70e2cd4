/**
 * Redacts session logs: replaces the values that could identify a customer.
 *
 * A value that few sessions contain becomes a keyed pseudonym, the same one everywhere,
 * so that equal values stay equal. Structure, times, tool names, the messages of
 * `initialize` and `tools/list`, and values that many sessions share are kept. Of
 * numbers, whole ones of five digits or more are replaced, as text; long fractions are
 * kept and counted.
 *
 * @module
 */

import { looksLikeId, normalForm } from "../flow/state/values.ts";
import type { SessionLog } from "../log/log.ts";
import { isObject, type JsonObject } from "../json/json.ts";
import { rewriteTokens, tokensOf } from "./tokens.ts";
import { walkLines } from "./walk_lines.ts";

/** Options for {@linkcode Redactor}. */
export interface RedactOptions {
  /** Returns the first 12 hex digits of the keyed hash of a normal form. */
  readonly hash: (form: string) => string;
  /**
   * Values in at least this many sessions are kept.
   *
   * @default {3}
   */
  readonly keepShared?: number;
  /** Fields whose values are always hidden. */
  readonly hashFields?: readonly string[];
}

/** Keys that are field names, not data. */
const IDENTIFIER = /^[A-Za-z_][A-Za-z_]*$/;
/** Shorter values identify nobody, and are part of every sentence. */
const MIN_LENGTH = 2;

/** Returns the replacement of a value of a field; undefined to keep it. */
type Rewrite = (core: string, field: string | undefined) => string | undefined;

/** Redacts logs in two passes: it counts the sessions of each value, then rewrites. */
export class Redactor {
  /** The number of fractions of five digits or more that were kept. */
  numbersLeft = 0;
  readonly hidden = new Map<string, string>();
  /** The normal forms of hidden and kept values, by field; see {@linkcode fieldCounts}. */
  readonly #fields = new Map<string, { hidden: Set<string>; kept: Set<string> }>();
  readonly #options: RedactOptions;
  readonly #sessions = new Map<string, Set<string>>();
  readonly #always = new Set<string>();
  readonly #names = new Set<string>();

  /** Starts without a session. */
  constructor(options: RedactOptions) {
    this.#options = options;
  }

  /** First pass: counts the sessions that contain each value. */
  learn(log: SessionLog): void {
    const session = log.header.host_session ?? log.header.session;
    const { keepShared = 3 } = this.#options;
    const count: Rewrite = (core: string): undefined => {
      const form = normalForm(core);
      const seen = this.#sessions.get(form) ?? new Set();
      if (seen.size < keepShared) seen.add(session);
      this.#sessions.set(form, seen);
      return undefined;
    };
    for (const { message, isDescribing, raw } of walkLines(log)) {
      if (isDescribing) collectNames(message, this.#names);
      else if (raw !== undefined) rewriteTokens(raw, (core) => count(core, undefined));
      else this.#walk(message, count, undefined);
    }
  }

  /** The numbers of hidden and of kept values. */
  get counts(): { readonly hidden: number; readonly kept: number } {
    let hidden = 0;
    for (const form of this.#sessions.keys()) if (this.#isHidden(form)) hidden++;
    return { hidden, kept: this.#sessions.size - hidden };
  }

  /** Second pass: returns the text of the redacted log. */
  rewrite(log: SessionLog): string {
    const rewrite: Rewrite = (core, field) => this.#counted(core, field ?? "(text)");
    const lines = walkLines(log).map(({ line, message, isDescribing, raw }) => {
      const { t_ms, from } = line;
      if (raw !== undefined) {
        return { t_ms, from, raw: rewriteTokens(raw, (core) => rewrite(core, undefined)) };
      }
      return {
        t_ms,
        from,
        message: isDescribing ? message : this.#walk(message, rewrite, undefined),
      };
    });
    return [log.header, ...lines].map((line) => JSON.stringify(line) + "\n").join("");
  }

  /**
   * The distinct values of each field: hidden, kept, and kept although they look like ids.
   * Fields with the most values come first.
   */
  fieldCounts(): { field: string; hidden: number; kept: number; keptIds: number }[] {
    return [...this.#fields].map(([field, { hidden, kept }]) => ({
      field,
      hidden: hidden.size,
      kept: kept.size,
      keptIds: [...kept].filter((form) => looksLikeId(form) && form.length >= 4).length,
    })).sort((a, b) => b.hidden + b.kept - a.hidden - a.kept || (a.field < b.field ? -1 : 1));
  }

  /** Redacts a line of a flow or confirm log: the values under `arguments` and `value`. */
  rewriteArguments(value: unknown, isInside = false): unknown {
    const rewrite = (core: string) => this.#pseudonym(core);
    if (typeof value === "string") return isInside ? rewriteTokens(value, rewrite) : value;
    if (Array.isArray(value)) return value.map((item) => this.rewriteArguments(item, isInside));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        this.rewriteArguments(
          item,
          isInside || key === "arguments" || (key === "value" && "argument" in value),
        ),
      ]),
    );
  }

  /**
   * Finds hidden values that a redacted text still contains.
   *
   * @param text A redacted log.
   * @returns Their pseudonyms, never the values; empty when there are none.
   */
  survivors(text: string): string[] {
    const found = new Set<string>();
    for (const line of text.split("\n").slice(1)) {
      if (/"method":"(?:initialize|tools\/list)"|"(?:serverInfo|inputSchema)"/.test(line)) continue;
      if (line === "") continue;
      for (const token of stringsOf(JSON.parse(line)).flatMap(tokensOf)) {
        const form = normalForm(token);
        const pseudonym = this.hidden.get(form);
        const isShortNumber = /^-?\d{0,4}(?:\.\d*)?$/.test(form);
        if (pseudonym !== undefined && form.length >= 4 && looksLikeId(form) && !isShortNumber) {
          found.add(pseudonym);
        }
      }
    }
    return [...found].sort();
  }

  #walk(
    value: unknown,
    rewrite: Rewrite,
    field: string | undefined,
  ): unknown {
    if (typeof value === "string") return this.#text(value, rewrite, field);
    if (typeof value === "number") return this.#number(value, rewrite, field);
    if (Array.isArray(value)) return value.map((item) => this.#walk(item, rewrite, field));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        if (STRUCTURE.has(key) && field === undefined) {
          return [key, this.#structure(key, item, rewrite)];
        }
        const name = IDENTIFIER.test(key) || this.#names.has(key)
          ? key
          : rewriteTokens(key, (core) => rewrite(core, field));
        return [name, this.#walk(item, rewrite, key)];
      }),
    );
  }

  /** A long whole number may be an id: it is hidden as the text of its digits would be. */
  #number(value: number, rewrite: Rewrite, field: string | undefined): string | number {
    if (this.#isHashed(field)) {
      this.#always.add(normalForm(String(value)));
      return rewrite(String(value), field) ?? value;
    }
    if (Math.abs(value) < 10_000) return value;
    if (Number.isInteger(value)) return rewrite(String(value), field) ?? value;
    this.numbersLeft++;
    return value;
  }

  /** The frame of a message: ids, methods and names stay; what is inside is data. */
  #structure(key: string, item: unknown, rewrite: Rewrite): unknown {
    if (key !== "params" && key !== "result" && key !== "error") return item;
    if (!isObject(item)) return item;
    return Object.fromEntries(
      Object.entries(item).map(([name, inner]): [string, unknown] => {
        if (name === "name" || name === "_meta" || name === "isError" || name === "code") {
          return [name, inner];
        }
        if (name === "content" && Array.isArray(inner)) {
          return [
            name,
            inner.map((c) => this.#content(c, rewrite)),
          ];
        }
        return [name, this.#walk(inner, rewrite, name)];
      }),
    );
  }

  #content(item: unknown, rewrite: Rewrite): unknown {
    if (!isObject(item) || typeof item.text !== "string") return item;
    return { ...item, text: this.#text(item.text, rewrite, "text") };
  }

  /** Rewrites JSON in a text as JSON, other text word by word. */
  #text(
    text: string,
    rewrite: Rewrite,
    field: string | undefined,
  ): string {
    if (this.#isHashed(field)) {
      for (const core of tokensOf(text)) this.#always.add(normalForm(core));
    }
    if (/^\s*[[{]/.test(text)) {
      try {
        return JSON.stringify(this.#walk(JSON.parse(text), rewrite, field ?? "text"));
      } catch {
        // Not JSON, only text that begins like it.
      }
    }
    return rewriteTokens(text, (core) => rewrite(core, field));
  }

  /** Whether the values of a field are always hidden. */
  #isHashed(field: string | undefined): boolean {
    return field !== undefined && (this.#options.hashFields?.includes(field) ?? false);
  }

  #counted(core: string, field: string): string | undefined {
    const made = this.#pseudonym(core);
    const counts = this.#fields.get(field) ?? { hidden: new Set(), kept: new Set() };
    this.#fields.set(field, counts);
    counts[made === undefined ? "kept" : "hidden"].add(normalForm(core));
    return made;
  }

  #isHidden(form: string): boolean {
    if (this.#always.has(form)) return true;
    if (form.length < MIN_LENGTH || this.#names.has(form)) return false;
    return (this.#sessions.get(form)?.size ?? 0) < (this.#options.keepShared ?? 3);
  }

  /** The pseudonym of a value, with digits and with `@` if the value has them. */
  #pseudonym(core: string): string | undefined {
    const form = normalForm(core);
    if (!this.#isHidden(form)) return undefined;
    const known = this.hidden.get(form);
    if (known !== undefined) return known;
    const hex = this.#options.hash(form);
    const letters = hex.replace(/[0-9a-f]/g, (c) => String.fromCharCode(97 + parseInt(c, 16)));
    const made = /\d/.test(form)
      ? `h_${hex.replace(/^[a-f]{12}$/, "0$&".slice(0, 12))}`
      : `h_${letters}`;
    const pseudonym = form.includes("@") ? `${made}@h` : made;
    this.hidden.set(form, pseudonym);
    return pseudonym;
  }
}

/** Keys of a JSON-RPC message, and of a message of the conversation. */
const STRUCTURE = new Set(["jsonrpc", "id", "method", "params", "result", "error", "role"]);

/** Every text in a value: strings and keys, also inside strings that hold JSON. */
function stringsOf(value: unknown): string[] {
  if (typeof value === "string") {
    if (!/^\s*[[{]/.test(value)) return [value];
    try {
      return stringsOf(JSON.parse(value));
    } catch {
      return [value];
    }
  }
  if (Array.isArray(value)) return value.flatMap(stringsOf);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...stringsOf(item)]);
}

/** Collects the names that schemas use: properties, enum values, tools. */
function collectNames(value: unknown, into: Set<string>): void {
  if (Array.isArray(value)) value.forEach((item) => collectNames(item, into));
  if (!isObject(value)) return;
  const object: JsonObject = value;
  for (const [key, item] of Object.entries(object)) {
    if (key === "properties" && isObject(item)) Object.keys(item).forEach((name) => into.add(name));
    if (key === "enum" && Array.isArray(item)) item.forEach((v) => into.add(normalForm(String(v))));
    if (key === "name" && typeof item === "string") into.add(item);
    collectNames(item, into);
  }
}
