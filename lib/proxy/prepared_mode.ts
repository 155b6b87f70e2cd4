/**
 * A mode of the proxy that is ready to run.
 *
 * @module
 */

import type { StopSignal } from "../session/life.ts";

/** A mode that is ready to begin. */
export interface PreparedMode {
  /** Runs until the end; the exit status. */
  run(): Promise<number>;
  /** Ends it: the proxy received this signal. */
  stop(signal: StopSignal): void;
}
