/**
 * The conversation out of the bytes of the file that `--context` names: JSON lines
 * `{"role": "user" | "assistant", "content": …}`.
 *
 * A line that has not ended waits. A line that is no message is skipped, other roles
 * too. A file that begins anew is read from its start; the messages that it has in
 * common with what was read, from the first on, are not given out twice.
 *
 * @module
 */

import { at, textAt } from "../../json/json.ts";
import { LineSplitter } from "../../bytes/line_splitter.ts";

/** A message of the conversation. */
export interface ContextMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** A longer line is no message: it would have to be held until it ends. */
const MAX_LINE_BYTES = 4_194_304;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Reads one conversation. */
export class Conversation {
  readonly #onBadLine: (line: number, why: string) => void;
  /** Every message given out, in order. */
  readonly #known: ContextMessage[] = [];
  #lines = new LineSplitter();
  #line = 0;
  /** How many messages at the start of a file read anew are known; undefined once they differ. */
  #same: number | undefined;
  #isTooLong = false;

  /**
   * Starts with nothing said.
   *
   * @param onBadLine Told of each line that is no message: its number, and what is wrong.
   */
  constructor(onBadLine: (line: number, why: string) => void) {
    this.#onBadLine = onBadLine;
  }

  /**
   * Takes the next bytes of the file.
   *
   * @param bytes The bytes.
   * @returns The messages that they complete and that are new.
   */
  push(bytes: Uint8Array): ContextMessage[] {
    const found: ContextMessage[] = [];
    this.#lines.push(bytes, (line) => {
      this.#line++;
      const message = this.#read(line);
      if (message !== undefined && this.#isNew(message)) {
        this.#known.push(message);
        found.push(message);
      }
    });
    if (this.#lines.heldBytes > MAX_LINE_BYTES) {
      this.#isTooLong = true;
      this.#lines.end();
    }
    return found;
  }

  /** The file begins anew: what comes next is its start. */
  restart(): void {
    this.#lines = new LineSplitter();
    this.#line = 0;
    this.#isTooLong = false;
    this.#same = 0;
  }

  #read(bytes: Uint8Array): ContextMessage | undefined {
    if (this.#isTooLong || bytes.length > MAX_LINE_BYTES) {
      this.#isTooLong = false;
      return this.#bad(`it is longer than ${MAX_LINE_BYTES} bytes`);
    }
    let value: unknown;
    try {
      const text = decoder.decode(bytes).trim();
      if (text === "") return undefined;
      value = JSON.parse(text);
    } catch {
      return this.#bad("it is not JSON");
    }
    const role = textAt(value, "role");
    if (role === undefined) return this.#bad("it has no role");
    if (role !== "user" && role !== "assistant") return undefined;
    const content = contentOf(at(value, "content"));
    return content === undefined ? this.#bad("its content is no text") : { role, content };
  }

  #bad(why: string): undefined {
    this.#onBadLine(this.#line, why);
  }

  #isNew({ role, content }: ContextMessage): boolean {
    if (this.#same === undefined) return true;
    const known = this.#known[this.#same];
    const isSame = known?.role === role && known.content === content;
    this.#same = isSame ? this.#same + 1 : undefined;
    return !isSame;
  }
}

/** A text, or a list of content items of which the texts count. */
function contentOf(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return undefined;
  return content.flatMap((item) => textAt(item, "text") ?? []).join("\n");
}

/**
 * A message as the session log has it.
 *
 * @param message The message.
 * @returns Its JSON, without a newline.
 */
export function contextLine({ role, content }: ContextMessage): string {
  return JSON.stringify({ role, content });
}
