/**
 * Listens for the signals that ask this process to end.
 *
 * @module
 */

import type { StopSignal } from "../session/life.ts";

/** Calls `stop` for each signal that asks this process to end. */
export function onStopSignal(stop: (signal: StopSignal) => void): void {
  const signals: readonly StopSignal[] = Deno.build.os === "windows"
    ? ["SIGINT"]
    : ["SIGTERM", "SIGINT", "SIGHUP"];
  for (const signal of signals) Deno.addSignalListener(signal, () => stop(signal));
}
