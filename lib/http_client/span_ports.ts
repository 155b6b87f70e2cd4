/**
 * The machine of `hoist export --otlp`: logs that grow, the collector, the place file, the clock.
 *
 * @module
 */

import { writeFileAtomically } from "../disk/atomic_write.ts";
import { LogTail } from "../disk/export/log_tail.ts";
import type { LogHeader, LogLine } from "../log/log.ts";
import type { Runtime } from "../ports/runtime.ts";
import { onStopSignal } from "../relay/stop_signals.ts";
import { upstreamNetwork } from "./upstream_network.ts";

/** Milliseconds between two looks at logs that are followed. */
const ROUND_MS = 1_000;

/**
 * Makes the machine.
 *
 * @param runtime The environment.
 * @returns What the export works with.
 */
export function spanPorts(runtime: Runtime) {
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const stopped = Promise.withResolvers<false>();
  let isWatching = false;
  return {
    openLog: (path: string, onLine: (line: LogLine, header: LogHeader) => void) =>
      new LogTail(path, onLine),
    otlp: async (url: string, headers: readonly [string, string][]) => {
      const { otlpSender } = await import("./otlp_sender.ts");
      return await otlpSender({ url, headers, network: upstreamNetwork({ url }, runtime), pause });
    },
    placeFile: (path: string) => ({
      read: () => {
        try {
          return Deno.readTextFileSync(path);
        } catch (error) {
          if (error instanceof Deno.errors.NotFound) return undefined;
          throw error;
        }
      },
      write: (text: string) => writeFileAtomically(path, text),
    }),
    nextSecond: () => {
      if (!isWatching) onStopSignal(() => stopped.resolve(false));
      isWatching = true;
      return Promise.race([stopped.promise, pause(ROUND_MS).then(() => true)]);
    },
  };
}
