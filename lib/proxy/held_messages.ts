/**
 * Messages that wait until the place of the log was said, which is the first message.
 *
 * @module
 */

/** Messages of a start. */
export class HeldMessages {
  readonly #say: (line: string) => void;
  #held: string[] | undefined = [];

  /** Holds messages back from `say`. */
  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** Says a line, now or at the release. */
  readonly say = (line: string): void => {
    if (this.#held === undefined) this.#say(line);
    else this.#held.push(line);
  };

  /** Says what was held, and from now on each line at once. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    held.forEach(this.#say);
  }
}
