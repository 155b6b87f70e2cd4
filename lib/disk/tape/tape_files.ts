/**
 * Reads session logs onto a tape, and single messages of them when they are played.
 *
 * @module
 */

import { elements, isArrayAt, rootSpan } from "../../json/json_spans.ts";
import { parseLine } from "../../log/parse_line.ts";
import { LogReader } from "../../log/parse_log.ts";
import { isPackedLog } from "../../log/log_names.ts";
import { type MaskRequest, Tape, type TapePlace } from "../../tape/tape.ts";
import { unpackedWhole } from "../packed_log.ts";

const CHUNK_BYTES = 262_144;
const encoder = new TextEncoder();

/** A tape, and the open files that it lies in. */
export interface OpenTape extends Disposable {
  readonly tape: Tape;
  /** The wire text of a message. */
  read(place: TapePlace): Uint8Array;
}

/**
 * Opens logs as a tape.
 *
 * @param paths The logs, in the order of the tape.
 * @param mask Leaves out of a request's params what may differ.
 * @returns The tape. Its files stay open until it is disposed.
 * @throws {LogSyntaxError} When a line of a log cannot be read.
 */
export function openTape(paths: readonly string[], mask?: MaskRequest): OpenTape {
  const tape = new Tape(mask);
  const files = paths.map((path, file) => {
    const reader: LogReader = new LogReader(
      (line) => tape.take(line, { ...reader.place, file }),
      { path },
    );
    tape.begin();
    if (isPackedLog(path)) {
      const bytes = unpackedWhole(path);
      reader.push(bytes);
      reader.end();
      return bytes;
    }
    const open = Deno.openSync(path);
    const chunk = new Uint8Array(CHUNK_BYTES);
    for (let n = open.readSync(chunk); n !== null; n = open.readSync(chunk)) {
      reader.push(chunk.subarray(0, n));
    }
    reader.end();
    return open;
  });
  return {
    tape,
    read: (place) => readPlace(files[place.file], place),
    [Symbol.dispose]: () => files.forEach((file) => file instanceof Deno.FsFile && file.close()),
  };
}

/** A log of the tape: an open file, or what was packed in one. */
type TapeFile = Deno.FsFile | Uint8Array;

function readPlace(file: TapeFile | undefined, { at, length, index }: TapePlace): Uint8Array {
  if (file === undefined) throw new RangeError("a place in no file of the tape");
  const bytes = file instanceof Uint8Array
    ? file.subarray(at, at + length)
    : readFrom(file, at, length);
  const parsed = parseLine(new TextDecoder().decode(bytes), 0);
  if (parsed.kind !== "read") throw new Error("the log changed while it was served");
  if (parsed.value.kind === "raw") return encoder.encode(parsed.value.raw);
  const text = encoder.encode(parsed.value.text);
  const root = rootSpan(text);
  const span = isArrayAt(text, root) ? elements(text, root)[index] ?? root : undefined;
  return span === undefined ? text : text.slice(span.start, span.end);
}

function readFrom(file: Deno.FsFile, at: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  file.seekSync(at, Deno.SeekMode.Start);
  for (let done = 0; done < length;) {
    const n = file.readSync(bytes.subarray(done));
    if (n === null) throw new Error("the log became shorter while it was served");
    done += n;
  }
  return bytes;
}
