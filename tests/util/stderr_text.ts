/**
 * What a program says on stderr: all of it at the end, or as soon as a text is in it.
 *
 * @module
 */

/** The text of one stderr. */
export class StderrText {
  /** All of it; settles at its end. */
  readonly whole: Promise<string>;
  #text = "";
  #wake = Promise.withResolvers<void>();

  constructor(stream: ReadableStream<Uint8Array>) {
    this.whole = this.#read(stream);
  }

  /** What was said up to now. */
  get soFar(): string {
    return this.#text;
  }

  /** Settles when a text has been said; fails when the end comes before. */
  async until(text: string): Promise<void> {
    let isOver = false;
    const end = this.whole.then(() => void (isOver = true));
    while (!this.#text.includes(text)) {
      if (isOver) throw new Error(`"${text}" was not said: ${this.#text}`);
      await Promise.race([this.#wake.promise, end]);
    }
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<string> {
    for await (const part of stream.pipeThrough(new TextDecoderStream())) {
      this.#text += part;
      this.#wake.resolve();
      this.#wake = Promise.withResolvers();
    }
    return this.#text;
  }
}
