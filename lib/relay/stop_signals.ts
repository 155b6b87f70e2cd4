/**
 * Listens for the signals that ask this process to end.
 *
 * @module
 */

import type { StopSignal } from "../session/life.ts";

/** Calls `stop` for each signal that asks this process to end; what it returns calls that off. */
export function onStopSignal(stop: (signal: StopSignal) => void): () => void {
  const signals: readonly StopSignal[] = Deno.build.os === "windows"
    ? ["SIGINT"]
    : ["SIGTERM", "SIGINT", "SIGHUP"];
  const listeners = signals.map((signal) => [signal, () => stop(signal)] as const);
  for (const [signal, listener] of listeners) Deno.addSignalListener(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) Deno.removeSignalListener(signal, listener);
  };
}
