/**
 * Draws which sessions go without lookups, so that `hoist savings` can compare the others with
 * them.
 *
 * The draw is a hash of the seed and the host session, else the session's id: all proxies of one
 * host session with the same seed draw alike, and a drawn arm can be drawn again from the log.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Arm } from "../../flow/walking/flow_log.ts";

/** How sessions are drawn. */
export interface Holdout {
  /** The share of sessions without lookups, 0 to 1. */
  readonly share: number;
  /** Tells series of draws apart. */
  readonly seed: number;
}

/**
 * Draws a session's arm.
 *
 * @param name The host session, else the session's id.
 * @param holdout How sessions are drawn.
 * @returns Whether the session is served with the flow, or held out.
 */
export function armOf(name: string, { share, seed }: Holdout): Arm {
  const hash = createHash("sha256").update(`holdout\n${seed}\n${name}`).digest();
  // 48 bits are an exact number.
  return hash.readUIntBE(0, 6) / 2 ** 48 < share ? "holdout" : "flow";
}
