/**
 * Server-sent events for open pages: which sessions changed, and how far the index has come.
 *
 * @module
 */

/** Changes within this time are told at once. */
const GATHER_MS = 150;
/** A comment this often keeps connections open, and shows those that are gone. */
const PING_MS = 15_000;
/** Pages that follow at the same time. */
const MAX_PAGES = 200;

/** What an event says. */
export interface ConsoleNews {
  /** Keys of the sessions that changed. */
  readonly keys: readonly string[];
  /** What the index is doing; empty when it is in step. */
  readonly notice: string;
}

/** Sends events to open pages. */
export class EventHub {
  readonly #pages = new Set<ReadableStreamDefaultController<Uint8Array>>();
  readonly #news: (ids: readonly number[]) => ConsoleNews;
  readonly #ping: ReturnType<typeof setInterval>;
  readonly #ids = new Set<number>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Starts without pages.
   *
   * @param news Makes the event of the sessions that changed, by their numbers in the index.
   */
  constructor(news: (ids: readonly number[]) => ConsoleNews) {
    this.#news = news;
    this.#ping = setInterval(() => this.#send(": ping\n\n"), PING_MS);
  }

  /** Whether a page follows. */
  get hasPages(): boolean {
    return this.#pages.size > 0;
  }

  /** Opens a stream for a page; undefined when there are too many. */
  open(): ReadableStream<Uint8Array> | undefined {
    if (this.#pages.size >= MAX_PAGES) return undefined;
    let page: ReadableStreamDefaultController<Uint8Array>;
    return new ReadableStream({
      start: (controller) => {
        page = controller;
        this.#pages.add(page);
        page.enqueue(new TextEncoder().encode("retry: 2000\n\n"));
      },
      cancel: () => {
        this.#pages.delete(page);
      },
    });
  }

  /** Notes changes; they are told soon. */
  changed(ids: readonly number[]): void {
    if (this.#pages.size === 0) return;
    ids.forEach((id) => this.#ids.add(id));
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const news = this.#news([...this.#ids]);
      this.#ids.clear();
      this.#send(`event: changed\ndata: ${JSON.stringify(news)}\n\n`);
    }, GATHER_MS);
  }

  /** Ends every stream. */
  close(): void {
    clearInterval(this.#ping);
    clearTimeout(this.#timer);
    for (const page of this.#pages) closePage(page);
    this.#pages.clear();
  }

  #send(text: string): void {
    const bytes = new TextEncoder().encode(text);
    for (const page of this.#pages) {
      // A page that does not read is let go: its browser connects again.
      if ((page.desiredSize ?? 0) < -100) {
        this.#pages.delete(page);
        closePage(page);
      } else page.enqueue(bytes);
    }
  }
}

function closePage(page: ReadableStreamDefaultController<Uint8Array>): void {
  try {
    page.close();
  } catch {
    // It was cancelled in the meantime.
  }
}
