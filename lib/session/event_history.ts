/**
 * What a session's event streams carried lately, so that a host whose
 * connection dropped can take a stream up again after the last event it got.
 *
 * Kept: the newest events of all the session's streams together, up to a number
 * and a size. Dropped: older ones, first in, first out; a stream that is taken up
 * after a dropped event goes on with what is left. An id is unique in its session
 * and names its stream, and only that stream's events are given again.
 *
 * @module
 */

/** Bounds of a history. */
export interface HistoryLimits {
  /** Events kept at most. */
  readonly events: number;
  /** Bytes of their messages kept at most. */
  readonly bytes: number;
}

/** An event that was sent, or would have been. */
export interface PastEvent {
  /** Its id. */
  readonly id: string;
  /** The message it carries. */
  readonly line: Uint8Array;
}

interface Kept extends PastEvent {
  readonly stream: number;
  readonly seq: number;
}

/** The history of one session. */
export class EventHistory {
  readonly #limits: HistoryLimits;
  readonly #lastSeq = new Map<number, number>();
  #kept: Kept[] = [];
  #first = 0;
  #bytes = 0;
  #streams = 0;
  readonly #closed = new Set<number>();

  /** Makes an empty history. */
  constructor(limits: HistoryLimits) {
    this.#limits = limits;
  }

  /** Begins a stream; its number. */
  open(): number {
    this.#lastSeq.set(++this.#streams, 0);
    return this.#streams;
  }

  /** Nothing more comes on a stream: it is forgotten with its last event. */
  close(stream: number): void {
    const isKept = this.#kept.findLastIndex((event) => event.stream === stream) >= this.#first;
    if (isKept) this.#closed.add(stream);
    else this.#lastSeq.delete(stream);
  }

  /** Streams that are remembered. */
  get size(): number {
    return this.#lastSeq.size;
  }

  /** The id of the stream's beginning, to take it up as a whole. */
  startOf(stream: number): string {
    return `${stream}-0`;
  }

  /**
   * Keeps an event.
   *
   * @param stream The stream that carries it.
   * @param line Its message; not copied.
   * @returns The event's id.
   */
  add(stream: number, line: Uint8Array): string {
    const seq = (this.#lastSeq.get(stream) ?? 0) + 1;
    this.#lastSeq.set(stream, seq);
    const id = `${stream}-${seq}`;
    this.#kept.push({ id, line, stream, seq });
    this.#bytes += line.length;
    while (
      this.#kept.length - this.#first > this.#limits.events ||
      (this.#bytes > this.#limits.bytes && this.#kept.length - this.#first > 0)
    ) {
      const dropped = this.#kept[this.#first++];
      this.#bytes -= dropped?.line.length ?? 0;
      if (dropped !== undefined) this.#forget(dropped);
    }
    if (this.#first > this.#limits.events) {
      this.#kept = this.#kept.slice(this.#first);
      this.#first = 0;
    }
    return id;
  }

  /**
   * What the stream of an event carried after it.
   *
   * @param lastEventId The last event the host got.
   * @returns The stream and its later events; undefined for an id that was never given.
   */
  after(
    lastEventId: string,
  ): { readonly stream: number; readonly events: readonly PastEvent[] } | undefined {
    const match = /^([1-9]\d{0,14})-(\d{1,15})$/.exec(lastEventId);
    const stream = Number(match?.[1]);
    const seq = Number(match?.[2]);
    if (!(stream <= this.#streams) || seq > (this.#lastSeq.get(stream) ?? Infinity)) {
      return undefined;
    }
    const events = this.#kept.slice(this.#first)
      .filter((event) => event.stream === stream && event.seq > seq);
    return { stream, events };
  }

  #forget({ stream, seq }: Kept): void {
    if (seq !== this.#lastSeq.get(stream) || !this.#closed.delete(stream)) return;
    this.#lastSeq.delete(stream);
  }
}
