/**
 * Reads and writes `text/event-stream` as bytes.
 *
 * Lines end with `\n`, `\r\n` or `\r`; several `data` lines of an event are
 * joined with `\n`; a byte order mark at the start, comments and unknown fields
 * are skipped; an event without its blank line is not an event. Data is never
 * decoded: invalid UTF-8, and characters cut between two chunks, come out as
 * they went in.
 *
 * @module
 */

import { concat } from "../bytes/concat.ts";
import { GrowingBytes } from "../bytes/growing_bytes.ts";

/** One event; a field that the stream did not give is undefined. */
export interface StreamEvent {
  /** The data; empty in events that only carry an id or a delay. */
  readonly data: Uint8Array;
  /** The `id` field. */
  readonly id: string | undefined;
  /** The `retry` field: milliseconds to wait before connecting again. */
  readonly retryMs: number | undefined;
  /** The `event` field. */
  readonly type: string | undefined;
}

/** Whether an event is a message; clients skip the other types, which are a server's own. */
export function isMessageEvent({ data, type }: StreamEvent): boolean {
  return data.length > 0 && (type === undefined || type === "" || type === "message");
}

const LF = 10, CR = 13, COLON = 0x3a, SPACE = 0x20;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Turns chunks into events. */
export class EventStreamParser {
  /** The unfinished line. */
  readonly #held = new GrowingBytes();
  readonly #data = new GrowingBytes();
  /** Lines of data so far. */
  #lines = 0;
  #id: string | undefined;
  #retryMs: number | undefined;
  #type: string | undefined;
  #afterCr = false;
  #isFirstLine = true;

  /**
   * Takes a chunk.
   *
   * @param chunk The bytes; not kept.
   * @param onEvent Called with each completed event.
   */
  push(chunk: Uint8Array, onEvent: (event: StreamEvent) => void): void {
    let start = 0;
    if (this.#afterCr && chunk.length > 0) {
      this.#afterCr = false;
      if (chunk[0] === LF) start = 1;
    }
    let lf = chunk.indexOf(LF, start);
    let cr = chunk.indexOf(CR, start);
    while (lf >= 0 || cr >= 0) {
      const end = cr >= 0 && (lf < 0 || cr < lf) ? cr : lf;
      this.#endLine(chunk, start, end, onEvent);
      start = end + 1;
      if (end === cr) {
        if (start === chunk.length) this.#afterCr = true;
        else if (chunk[start] === LF) start++;
      }
      if (lf >= 0 && lf < start) lf = chunk.indexOf(LF, start);
      if (cr >= 0 && cr < start) cr = chunk.indexOf(CR, start);
    }
    if (start < chunk.length) this.#held.append(chunk.subarray(start));
  }

  #endLine(
    chunk: Uint8Array,
    start: number,
    end: number,
    onEvent: (event: StreamEvent) => void,
  ): void {
    let line = chunk.subarray(start, end);
    if (this.#held.length > 0) {
      this.#held.append(line);
      line = this.#held.take();
    }
    if (this.#isFirstLine) {
      this.#isFirstLine = false;
      if (line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf) line = line.subarray(3);
    }
    if (line.length > 0) this.#field(line);
    else this.#dispatch(onEvent);
  }

  #field(line: Uint8Array): void {
    const colon = line.indexOf(COLON);
    if (colon === 0) return; // A comment.
    let value = colon < 0 ? line.subarray(line.length) : line.subarray(colon + 1);
    if (value[0] === SPACE) value = value.subarray(1);
    if (isNamedData(line, colon)) {
      if (this.#lines++ > 0) this.#data.append(NEWLINE);
      return this.#data.append(value);
    }
    const name = decoder.decode(colon < 0 ? line : line.subarray(0, colon));
    if (name === "event") this.#type = decoder.decode(value);
    else if (name === "id") {
      if (value.indexOf(0) < 0) this.#id = decoder.decode(value);
    } else if (name === "retry") {
      const text = decoder.decode(value);
      if (/^\d{1,9}$/.test(text)) this.#retryMs = Number(text);
    }
  }

  #dispatch(onEvent: (event: StreamEvent) => void): void {
    const isNothing = this.#lines === 0 && this.#id === undefined && this.#retryMs === undefined;
    const event: StreamEvent = {
      data: this.#data.take(),
      id: this.#id,
      retryMs: this.#retryMs,
      type: this.#type,
    };
    this.#lines = 0;
    this.#id = this.#retryMs = this.#type = undefined;
    if (!isNothing) onEvent(event);
  }
}

/** Most lines are data: their name is compared, not decoded. */
function isNamedData(line: Uint8Array, colon: number): boolean {
  return (colon < 0 ? line.length : colon) === 4 &&
    line[0] === 0x64 && line[1] === 0x61 && line[2] === 0x74 && line[3] === 0x61;
}

const NEWLINE = new Uint8Array([LF]);
const EVENT = encoder.encode("event: message\n");
const DATA = encoder.encode("data: ");
const END = encoder.encode("\n\n");

/**
 * Writes an event that carries one message.
 *
 * @param line The message, without `\n` or `\r` in it.
 * @param id The event's id, if the stream can be resumed after it.
 * @returns The bytes of the event.
 */
export function messageEvent(line: Uint8Array, id?: string): Uint8Array {
  const head = id === undefined ? EVENT : encoder.encode(`event: message\nid: ${id}\n`);
  return concat([head, DATA, line, END]);
}

/** Writes an event back; comments, unknown fields and the kind of line end are lost. */
export function eventBytes({ data, id, retryMs, type }: StreamEvent): Uint8Array {
  const head = (type === undefined ? "" : `event: ${type}\n`) +
    (id === undefined ? "" : `id: ${id}\n`) +
    (retryMs === undefined ? "" : `retry: ${retryMs}\n`);
  if (data.length === 0) return encoder.encode(`${head}${id === undefined ? "" : "data: \n"}\n`);
  const lines = decoder.decode(data).split("\n").map((line) => `data: ${line}\n`);
  return encoder.encode(`${head}${lines.join("")}\n`);
}

/** Writes an event without a message: an id to resume after and a reconnection delay. */
export function primingEvent(id: string, retryMs: number): Uint8Array {
  return eventBytes({ data: new Uint8Array(), id, retryMs, type: undefined });
}

/** A comment that keeps a quiet connection open. */
export const KEEP_ALIVE: Uint8Array = encoder.encode(": still here\n\n");
