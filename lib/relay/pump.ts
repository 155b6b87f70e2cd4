/**
 * Moves bytes from one end to the other, a chunk at a time, as they come.
 *
 * One chunk is on its way at a time, so a sink that does not take bytes stops
 * the reading of its source: back-pressure goes from end to end, and memory
 * stays flat. Chunks are not looked at, split, joined or changed.
 *
 * @module
 */

/** Where bytes come from. */
export interface ByteSource {
  /**
   * The next bytes, or null at the end. They are valid until the next call.
   * A source that breaks has ended.
   */
  read(): Promise<Uint8Array | null>;
}

/** Where bytes go. */
export interface ByteSink {
  /** Starts to write all the bytes at once; settles when they are taken, rejects when nobody is left. */
  write(bytes: Uint8Array): Promise<void>;
}

/** Sees each chunk while it is being forwarded. Must not keep, change or throw. */
export type Tap = (chunk: Uint8Array) => void;

/** Why a pump stopped. */
export type PumpEnd = "sourceEnded" | "sinkGone";

/** Bytes under way, for who asks whether anything still moves. */
export interface Traffic {
  /** Grows with each chunk. */
  chunks: number;
  /** Whether a chunk waits to be taken. */
  writing: boolean;
}

/**
 * Forwards every chunk of `source` to `sink` until one of them ends.
 *
 * The write is started first and `tap` runs in the same turn of the event
 * loop, so that no answer to the chunk can be read before `tap` has seen it.
 *
 * @param source Where to read.
 * @param sink Where to write.
 * @param options `tap` sees each chunk; `traffic` is kept up to date.
 * @returns Which end was first; nothing is closed.
 */
export async function pump(
  source: ByteSource,
  sink: ByteSink,
  options: { readonly tap: Tap | undefined; readonly traffic: Traffic },
): Promise<PumpEnd> {
  const { tap, traffic } = options;
  for (;;) {
    const chunk = await source.read();
    if (chunk === null) return "sourceEnded";
    traffic.chunks++;
    traffic.writing = true;
    const written = sink.write(chunk);
    if (tap !== undefined) tap(chunk);
    try {
      await written;
    } catch (error) {
      if (error instanceof Deno.errors.WouldBlock) throw error;
      return "sinkGone";
    } finally {
      traffic.writing = false;
    }
  }
}
