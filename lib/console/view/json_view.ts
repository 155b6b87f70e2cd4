/**
 * Shows a JSON value as folded lists, within a budget: a huge or deep value becomes a short page
 * with a link to all of it.
 *
 * @module
 */

import { isObject, jsonText } from "../../json/json.ts";
import { type Html, type HtmlValue, markup } from "./html.ts";

/** Limits of one view. */
export interface JsonViewOptions {
  /** Whether more is shown, up to what a browser can take. */
  readonly isAll: boolean;
  /** The address where {@linkcode JsonViewOptions.isAll} is true; undefined where there is none. */
  readonly allAddress: string | undefined;
}

/** Values, characters of one text, and levels that are shown; in all, and when all is asked for. */
const SHORT = { values: 400, chars: 2_000, levels: 12 };
const LONG = { values: 20_000, chars: 4_000_000, levels: 60 };

/** A list or object with at most this many values is open. */
const OPEN_VALUES = 30;

/** Shows values until a budget is spent. */
export class JsonView {
  readonly #limits: typeof SHORT;
  readonly #options: JsonViewOptions;
  #left: number;

  /** Starts with the whole budget; the parts of one page share it. */
  constructor(options: JsonViewOptions) {
    this.#options = options;
    this.#limits = options.isAll ? LONG : SHORT;
    this.#left = this.#limits.values;
  }

  /** Shows a value. */
  show(value: unknown): Html {
    return this.#value(value, 0);
  }

  /** Shows a text with its lines. */
  text(text: string): Html {
    const { chars } = this.#limits;
    if (text.length <= chars) return markup`<pre class="text" dir="auto">${text}</pre>`;
    return markup`<pre class="text" dir="auto">${text.slice(0, chars)}</pre>
<p class="cut">${chars.toLocaleString("en")} of ${
      text.length.toLocaleString("en")
    } characters. ${this.#more()}</p>`;
  }

  #value(value: unknown, level: number): Html {
    if (--this.#left < 0) return markup`<span class="cut">… ${this.#more()}</span>`;
    if (typeof value === "string") return this.#string(value);
    if (Array.isArray(value)) return this.#list("[", "]", value.map((v) => [undefined, v]), level);
    if (isObject(value)) return this.#list("{", "}", Object.entries(value), level);
    return markup`<span class="j-${value === null ? "null" : typeof value}">${
      jsonText(value)
    }</span>`;
  }

  #string(text: string): Html {
    const { chars } = this.#limits;
    if (text.length > chars) {
      return markup`<span class="j-string" dir="auto">"${text.slice(0, chars)}</span> <span
          class="cut">… ${text.length.toLocaleString("en")} characters. ${this.#more()}</span>`;
    }
    return markup`<span class="j-string" dir="auto">"${text}"</span>`;
  }

  #list(
    open: string,
    close: string,
    entries: readonly (readonly [string | undefined, unknown])[],
    level: number,
  ): Html {
    if (entries.length === 0) return markup`<span class="j-empty">${open}${close}</span>`;
    if (level >= this.#limits.levels) return markup`<span class="cut">… ${this.#more()}</span>`;
    const items: HtmlValue[] = [];
    for (const [key, value] of entries) {
      if (this.#left <= 0) {
        items.push(markup`<li class="cut">… ${this.#more()}</li>`);
        break;
      }
      const name = key === undefined ? "" : markup`<span class="j-key">${key}</span>: `;
      items.push(markup`<li>${name}${this.#value(value, level + 1)}</li>`);
    }
    const count = `${entries.length} ${open === "[" ? "item" : "field"}${
      entries.length === 1 ? "" : "s"
    }`;
    const isOpen = level === 0 || (entries.length <= OPEN_VALUES && level < 4);
    const opened = isOpen ? "open" : "";
    return markup`<details class="json" ${opened}><summary>${open} <small>${count}</small></summary><ul>${items}</ul>${close}</details>`;
  }

  #more(): Html {
    const { isAll, allAddress } = this.#options;
    return isAll || allAddress === undefined
      ? markup`The log has the rest.`
      : markup`<a href="${allAddress}">Show all</a>`;
  }
}
