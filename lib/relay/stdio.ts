/**
 * Our standard streams as a source and a sink of bytes.
 *
 * They use plain reads and writes, which need a third less time per round trip
 * than web streams (docs/performance.md). Writes are never synchronous: a host
 * that writes before it reads would deadlock with us.
 *
 * @module
 */

import type { ByteSink, ByteSource } from "./pump.ts";

const CHUNK_BYTES = 65_536;

/** Standard input: the host's messages. */
export function hostInput(): ByteSource {
  const buffer = new Uint8Array(CHUNK_BYTES);
  return {
    async read() {
      try {
        const count = await Deno.stdin.read(buffer);
        return count === null ? null : buffer.subarray(0, count);
      } catch {
        return null; // The host is gone: a reset socket or a closed descriptor.
      }
    },
  };
}

/** Standard output: the messages to the host. */
export function hostOutput(): ByteSink {
  return {
    async write(bytes) {
      // A write may take only a part of the bytes.
      for (let rest = bytes; rest.length > 0;) {
        rest = rest.subarray(await Deno.stdout.write(rest));
      }
    },
  };
}
