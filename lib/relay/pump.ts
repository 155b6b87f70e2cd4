/**
 * Forwards bytes from a source to a sink, chunk by chunk.
 *
 * Only one chunk is in flight, so a sink that takes no bytes stops the reading of
 * its source: back-pressure goes end to end, and memory stays flat. Chunks are
 * never inspected, split, joined or changed.
 *
 * @module
 */

/** A source of bytes. */
export interface ByteSource {
  /**
   * Reads the next bytes; null at the end. They are valid until the next call.
   * A broken source has ended.
   */
  read(): Promise<Uint8Array | null>;
}

/** A sink for bytes. */
export interface ByteSink {
  /** Starts the write at once; settles when all bytes are taken, rejects when the reader is gone. */
  write(bytes: Uint8Array): Promise<void>;
}

/** Observes each chunk while it is forwarded. Must not keep or change it, nor throw. */
export type Tap = (chunk: Uint8Array) => void;

/** The reason why a pump stopped. */
export type PumpEnd = "sourceEnded" | "sinkGone";

/** Progress of a pump, for detecting a quiet session. */
export interface Traffic {
  /** Number of chunks so far. */
  chunks: number;
  /** Whether a chunk is in flight. */
  writing: boolean;
}

/**
 * Forwards every chunk of `source` to `sink` until one of them ends.
 *
 * The write starts first, and `tap` runs in the same turn of the event loop, so
 * no answer to the chunk can be read before `tap` has seen it.
 *
 * @param source The source.
 * @param sink The sink.
 * @param options `tap` observes each chunk; `traffic` is kept up to date.
 * @returns The side that ended first; nothing is closed.
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
