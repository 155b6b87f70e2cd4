/**
 * A line as a session that acts sees it: its values, parsed once, and where they
 * stand in its bytes, found only when something is to be changed or quoted.
 *
 * Parsing is the engine's own and several times quicker than finding places. What
 * is not JSON in valid UTF-8 is nobody's message, and passes as it is.
 *
 * @module
 */

import { at, isObject, type JsonObject, textAt as textIn } from "../../json/json.ts";
import type { Span } from "../../json/json_spans.ts";
import { idKey, type Message, readJsonRpc, writtenId } from "../../wire/message.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

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
    return this.#place.span;
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

  /** A line and what it holds; `isKept` if nobody else uses its bytes. */
  constructor(bytes: Uint8Array, text: string, value: unknown, isKept = false) {
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
    return this.#kept ??= new SeenLine(this.bytes.slice(), this.text, this.#value, true);
  }
}

/**
 * Looks at a line.
 *
 * @param bytes The line, without its newline.
 * @returns What it holds; undefined when it is not JSON in valid UTF-8.
 */
export function seeLine(bytes: Uint8Array): SeenLine | undefined {
  try {
    const text = decoder.decode(bytes);
    return new SeenLine(bytes, text, JSON.parse(text));
  } catch {
    return undefined;
  }
}
