/**
 * Pin and checkpoints of a state root, in the owner's folder. Each file is sealed with the owner's
 * key, so that one written there by somebody else counts as missing.
 *
 * @module
 */

import { createHash, createHmac } from "node:crypto";
import type { z } from "zod";
import { writeFileAtomically } from "../../disk/atomic_write.ts";
import { isSameSecret } from "../state/hashes.ts";
import { PIN, type Pin } from "../trail/pin.ts";
import { CHAIN_CHECKPOINT, type ChainCheckpoint } from "../trail/snapshot.ts";

/** Pin and checkpoint of one state root. */
export interface PinFiles {
  /** The pin; undefined when there is none of this key. */
  pin(key: Uint8Array): Pin | undefined;
  /** Writes the pin. */
  savePin(key: Uint8Array, pin: Pin): void;
  /** The last checkpoint; undefined when there is none of this key. */
  checkpoint(key: Uint8Array): ChainCheckpoint | undefined;
  /** Writes a checkpoint. */
  saveCheckpoint(key: Uint8Array, checkpoint: ChainCheckpoint): void;
}

/**
 * Names the files of a state root.
 *
 * @param root Real path of the owner's folder.
 * @param home The state root as configured: a link put in its place keeps the name.
 * @returns The files.
 */
export function pinFiles(root: string, home: string): PinFiles {
  const id = createHash("sha256").update(home, "utf8").digest("hex").slice(0, 16);
  const file = (name: string) => `${root}/homes/${id}/${name}.json`;
  return {
    pin: (key) => readSealed(key, file("pin"), PIN),
    savePin: (key, pin) => writeSealed(key, file("pin"), pin),
    checkpoint: (key) => readSealed(key, file("checkpoint"), CHAIN_CHECKPOINT),
    saveCheckpoint: (key, checkpoint) => writeSealed(key, file("checkpoint"), checkpoint),
  };
}

/** First line: the seal; the rest: JSON. The name of the file is part of what is sealed. */
function writeSealed(key: Uint8Array, path: string, value: unknown): void {
  const text = `${JSON.stringify(value)}\n`;
  const folder = path.slice(0, path.lastIndexOf("/"));
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileAtomically(path, `${sealOf(key, path, text)}\n${text}`);
}

function readSealed<S extends z.ZodType>(
  key: Uint8Array,
  path: string,
  shape: S,
): z.output<S> | undefined {
  let whole: string;
  try {
    whole = Deno.readTextFileSync(path);
  } catch {
    return undefined; // Missing, or not to be read: then nothing is pinned here.
  }
  const cut = whole.indexOf("\n");
  const text = whole.slice(cut + 1);
  if (!isSameSecret(whole.slice(0, cut), sealOf(key, path, text))) return undefined;
  const parsed = shape.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : undefined;
}

function sealOf(key: Uint8Array, path: string, text: string): string {
  const name = path.slice(path.lastIndexOf("/homes/"));
  return createHmac("sha256", key).update(`file:${name}\n${text}`, "utf8").digest("hex");
}
