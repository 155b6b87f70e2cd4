/**
 * Opens the oracle's cache and client for a command.
 *
 * @module
 */

import { answerCache } from "./answer_cache.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { OracleDoor } from "../ports/oracle_door.ts";

/**
 * Makes the door of a program.
 *
 * @param runtime Environment with key and address; stderr for faults.
 * @returns The door; the client is loaded when it is opened.
 */
export function oracleDoor(runtime: Runtime): OracleDoor {
  return {
    openCache: answerCache,
    openLive: async () => {
      const { oracleKey } = await import("./oracle_key.ts");
      const { JEV_BASE_URL, jevOracle } = await import("./jev_client.ts");
      return await jevOracle({
        key: await oracleKey(runtime),
        baseUrl: runtime.env("TYPESAFE_BASE_URL")?.trim() || JEV_BASE_URL,
        monotonicMs: () => runtime.monotonicMs(),
        say: (line) => runtime.say(line),
      });
    },
  };
}
