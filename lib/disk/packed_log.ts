/**
 * Reads logs that were packed with gzip.
 *
 * The bytes of several gzip streams in one file follow one another. A file that was cut, or has
 * wrong bytes, is an error: what came before is not taken for the whole log.
 *
 * @module
 */

import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip, gunzipSync } from "node:zlib";
import { reasonOf } from "../text/reason.ts";

/**
 * Unpacks a log piece by piece.
 *
 * @param path The packed file.
 * @returns The log's bytes, in order.
 * @throws {Error} When it cannot be read to its end; the message names the file.
 */
export async function* unpackedPieces(path: string): AsyncGenerator<Uint8Array, void, void> {
  const unpacked = createGunzip();
  // Either end's fault ends both; the loop below throws it.
  pipeline(createReadStream(path), unpacked, () => {});
  try {
    for await (const piece of unpacked) yield piece;
  } catch (error) {
    throw cannotUnpack(path, error);
  } finally {
    unpacked.destroy();
  }
}

/**
 * Unpacks a log whole.
 *
 * @param path The packed file.
 * @returns The log's bytes.
 * @throws {Error} When it cannot be read to its end; the message names the file.
 */
export function unpackedWhole(path: string): Uint8Array {
  const packed = Deno.readFileSync(path);
  try {
    return gunzipSync(packed);
  } catch (error) {
    throw cannotUnpack(path, error);
  }
}

function cannotUnpack(path: string, error: unknown): Error {
  return new Error(`Cannot unpack "${path}": ${reasonOf(error)}`, { cause: error });
}
