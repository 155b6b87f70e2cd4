/**
 * Writes a conversation file: one message a line, each line in one write.
 *
 * @module
 */

import {
  contextLine,
  type ContextMessage,
  Conversation,
} from "../intercept/context/conversation.ts";

/** Bytes read from the end of a file. */
const END_BYTES = 1_048_576;

/**
 * Appends messages; a missing file is made with mode 0600, its folder with 0700.
 *
 * @param path The file.
 * @param messages The messages.
 */
export function appendContext(path: string, messages: readonly ContextMessage[]): void {
  makeFolderOf(path);
  using file = Deno.openSync(path, { append: true, create: true, mode: 0o600 });
  const bytes = new TextEncoder().encode(messages.map((m) => contextLine(m) + "\n").join(""));
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(file.writeSync(rest));
}

/** Empties a conversation file; a missing file is made with mode 0600, its folder with 0700. */
export function emptyContext(path: string): void {
  makeFolderOf(path);
  Deno.openSync(path, { write: true, create: true, truncate: true, mode: 0o600 }).close();
}

/** The last message of a conversation file; undefined when it has none. */
export function lastMessage(path: string): ContextMessage | undefined {
  const conversation = new Conversation(() => {});
  return conversation.push(new TextEncoder().encode(endOfFile(path))).at(-1);
}

/** The last MiB of a text file, from the start of a line; empty when it cannot be read. */
export function endOfFile(path: string): string {
  try {
    using file = Deno.openSync(path);
    const { size } = file.statSync();
    const start = Math.max(0, size - END_BYTES);
    file.seekSync(start, Deno.SeekMode.Start);
    const bytes = new Uint8Array(size - start);
    let got = 0;
    for (
      let n = file.readSync(bytes);
      n !== null && n > 0;
      n = file.readSync(bytes.subarray(got))
    ) {
      got += n;
    }
    const text = new TextDecoder().decode(bytes.subarray(0, got));
    return start === 0 ? text : text.slice(text.indexOf("\n") + 1);
  } catch {
    return "";
  }
}

function makeFolderOf(path: string): void {
  const folder = path.replace(/[/\\][^/\\]*$/, "");
  if (folder !== path && folder !== "") Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
}
