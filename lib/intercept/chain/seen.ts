/**
 * A line as a session that acts sees it: its values, parsed once, and where they
 * stand in its bytes, found only when something is to be changed or quoted.
 *
 * Parsing is the engine's own and several times faster than finding places.
 *
 * @module
 */

import { at, isObject, type JsonObject, textAt as textIn } from "../../json/json.ts";
import { rootSpan, type Span } from "../../json/json_spans.ts";
import { idKey, type Message, readJsonRpc, writtenId } from "../../wire/message.ts";

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder();
/** A string, which stays as it is, or a word for a number. */
const WORD = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g;
/** JSON with the value of each word; there is none for NaN. */
const NUMBERS: Readonly<Record<string, string>> = {
  Infinity: "1e999",
  "-Infinity": "-1e999",
  NaN: "null",
};

/** A message of a line. Its places are found when they are asked for. */
export class SeenMessage implements Message {
  /** The line. */
  readonly line: SeenLine;
  /** The message's value; empty when it is no object. */
  readonly value: JsonObject;
  readonly #index: number;

  /** Where it stands among the messages of its line. */
  get index(): number {
    return this.#index;
  }

  /** The message at an index of a line. */
  constructor(line: SeenLine, value: unknown, index: number) {
    this.line = line;
    this.value = isObject(value) ? value : {};
    this.#index = index;
  }

  get kind(): Message["kind"] {
    const hasId = Object.hasOwn(this.value, "id");
    if (this.method !== undefined) return hasId ? "request" : "notification";
    return hasId || Object.hasOwn(this.value, "error") ? "response" : "other";
  }

  get method(): string | undefined {
    return textIn(this.value, "method");
  }

  /** A key that is equal for equal ids, as {@linkcode idKey} makes it; `null` without one. */
  get key(): string {
    const id = at(this.value, "id");
    if (typeof id === "string") return JSON.stringify(id);
    if (Number.isSafeInteger(id) && !Object.is(id, -0)) return String(id);
    const written = this.idAsWritten;
    try {
      return idKey(written);
    } catch {
      return written; // Nested deeper than calls can be.
    }
  }

  /** The id as it was written; `null` when there is none. */
  get idAsWritten(): string {
    const id = at(this.value, "id");
    if (id === undefined) return "null";
    if (typeof id === "object") return writtenId(this.#place) ?? "null";
    const text = JSON.stringify(id);
    // Most are written so; any other spelling is looked up.
    return this.line.text.includes(`"id":${text},`) || this.line.text.endsWith(`"id":${text}}`)
      ? text
      : writtenId(this.#place) ?? "null";
  }

  get bytes(): Uint8Array {
    return this.line.bytes;
  }

  get span(): Span {
    return this.line.isBatch ? this.#place.span : rootSpan(this.bytes);
  }

  get id(): Span | undefined {
    return this.#place.id;
  }

  get params(): Span | undefined {
    return this.#place.params;
  }

  get result(): Span | undefined {
    return this.#place.result;
  }

  get error(): Span | undefined {
    return this.#place.error;
  }

  /** The same message in bytes of its own: those of a line that was read are used again. */
  kept(): SeenMessage {
    const message = this.line.kept().messages[this.#index];
    if (message === undefined) throw new RangeError("a line without its own message");
    return message;
  }

  get #place(): Message {
    const message = this.line.places[this.#index];
    if (message === undefined) throw new RangeError("a line without its own message");
    return message;
  }
}

/** A line that is JSON. */
export class SeenLine {
  readonly bytes: Uint8Array;
  readonly text: string;
  /** Whether its messages stand in an array. */
  readonly isBatch: boolean;
  readonly messages: readonly SeenMessage[];
  readonly #value: unknown;
  #places: readonly Message[] | undefined;
  #kept: SeenLine | undefined;

  /** Whether it is not JSON in UTF-8, though it can be read. */
  readonly isOdd: boolean;

  /** A line and what it holds; `isKept` if nobody else uses its bytes. */
  constructor(
    bytes: Uint8Array,
    text: string,
    value: unknown,
    { isOdd = false, isKept = false }: { readonly isOdd?: boolean; readonly isKept?: boolean } = {},
  ) {
    this.isOdd = isOdd;
    if (isKept) this.#kept = this;
    this.bytes = bytes;
    this.text = text;
    this.#value = value;
    this.isBatch = Array.isArray(value);
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    this.messages = values.map((item, i) => new SeenMessage(this, item, i));
  }

  /** Where its messages stand. */
  get places(): readonly Message[] {
    return this.#places ??= readJsonRpc(this.bytes).messages;
  }

  /** The same line in bytes of its own. */
  kept(): SeenLine {
    return this.#kept ??= new SeenLine(this.bytes.slice(), this.text, this.#value, {
      isOdd: this.isOdd,
      isKept: true,
    });
  }
}

/**
 * Reads a line as servers and hosts do: strictly if it is JSON, else with U+FFFD in place of
 * what is not UTF-8, without a byte order mark, and with the words that some parsers take for
 * numbers.
 *
 * @param bytes The line, without its newline. It goes on as these bytes, however it is read.
 * @returns What it holds; undefined when it cannot be read.
 */
export function seeLine(bytes: Uint8Array): SeenLine | undefined {
  try {
    const text = strict.decode(bytes);
    return new SeenLine(bytes, text, JSON.parse(text));
  } catch {
    return seeOddLine(bytes);
  }
}

function seeOddLine(bytes: Uint8Array): SeenLine | undefined {
  const text = lenient.decode(bytes);
  for (const json of [text, text.replace(WORD, (word) => NUMBERS[word] ?? word)]) {
    try {
      return new SeenLine(bytes, json, JSON.parse(json), { isOdd: true });
    } catch {
      // Perhaps with other numbers.
    }
  }
  return undefined;
}
