/**
 * Follows the file that `--context` names: each look reads the lines added since the last one.
 *
 * The file is closed between two looks, so it may be created later, emptied or replaced. The
 * process keeps read permission for its path (docs/decisions/0301-context.md).
 *
 * @module
 */

import { type ContextMessage, Conversation } from "../intercept/context/conversation.ts";
import { reasonOf } from "../text/reason.ts";

/** Options for {@linkcode ContextFile}. */
export interface ContextFileOptions {
  /** Called once for a bad line, and once when the file cannot be read. */
  readonly say: (line: string) => void;
}

/** Bytes before the read position that are compared, to notice a rewritten file. */
const TAIL_BYTES = 64;
const CHUNK_BYTES = 65_536;

/** The conversation file of one session. */
export class ContextFile {
  readonly #path: string;
  readonly #say: (line: string) => void;
  readonly #said = new Set<string>();
  readonly #conversation: Conversation;
  /** The last read: which file, its position, and the bytes before it. */
  #ino: number | null = null;
  #read = 0;
  #mtimeMs: number | undefined;
  #tail: Uint8Array = new Uint8Array();

  /**
   * Starts before the file's first line; reads nothing yet.
   *
   * @param path The file; it may not exist.
   * @param options Where faults are reported.
   */
  constructor(path: string, { say }: ContextFileOptions) {
    this.#path = path;
    this.#say = say;
    this.#conversation = new Conversation((line, why) =>
      this.#once("line", `line ${line} is skipped: ${why}; such lines are not mentioned again`)
    );
  }

  /**
   * Reads the messages added since the last look.
   *
   * @returns The new messages, in order; none when the file is missing or cannot be read.
   */
  poll(): ContextMessage[] {
    try {
      const { ino, size, mtime } = Deno.statSync(this.#path);
      const mtimeMs = mtime?.getTime();
      const isOther = ino !== this.#ino || size < this.#read;
      if (!isOther && size === this.#read && mtimeMs === this.#mtimeMs) return [];
      if (isOther) this.#restart();
      const found = this.#readOn();
      [this.#ino, this.#mtimeMs] = [ino, mtimeMs];
      return found;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) {
        // No messages yet, or the file is being replaced.
        if (this.#ino !== null) this.#restart();
      } else {
        const why = reasonOf(error);
        this.#once("file", `cannot be read, the conversation stays as it is: ${why}`);
      }
      return [];
    }
  }

  #readOn(): ContextMessage[] {
    using file = Deno.openSync(this.#path);
    if (!this.#isSame(file)) {
      this.#restart();
      file.seekSync(0, Deno.SeekMode.Start);
    }
    const found: ContextMessage[] = [];
    const chunk = new Uint8Array(CHUNK_BYTES);
    for (let n = file.readSync(chunk); n !== null && n > 0; n = file.readSync(chunk)) {
      const bytes = chunk.subarray(0, n);
      found.push(...this.#conversation.push(bytes));
      this.#read += n;
      this.#tail = new Uint8Array([...this.#tail, ...bytes.subarray(-TAIL_BYTES)])
        .slice(-TAIL_BYTES);
    }
    return found;
  }

  /** Whether the bytes before the read position are unchanged; leaves the file at that position. */
  #isSame(file: Deno.FsFile): boolean {
    const before = new Uint8Array(this.#tail.length);
    file.seekSync(this.#read - before.length, Deno.SeekMode.Start);
    let got = 0;
    while (got < before.length) {
      const n = file.readSync(before.subarray(got));
      if (n === null) return false;
      got += n;
    }
    return before.every((byte, i) => byte === this.#tail[i]);
  }

  #restart(): void {
    this.#conversation.restart();
    [this.#ino, this.#read, this.#mtimeMs, this.#tail] = [null, 0, undefined, new Uint8Array()];
  }

  #once(kind: string, words: string): void {
    if (this.#said.has(kind)) return;
    this.#said.add(kind);
    this.#say(`--context "${this.#path}" ${words}`);
  }
}

/**
 * Why a path cannot be a conversation file: it is a folder, or cannot be read.
 *
 * @param path The path.
 * @returns The reason; undefined when the file can be used, also when it does not exist yet.
 */
export function contextFault(path: string): string | undefined {
  try {
    const { isDirectory } = Deno.statSync(path);
    if (isDirectory) return "it is a folder";
    Deno.openSync(path).close();
    return undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    return reasonOf(error);
  }
}
