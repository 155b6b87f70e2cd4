/**
 * The way from a command to the oracle: its cache on disk and its client.
 *
 * @module
 */

import type { OracleDoor } from "../commands/flow/oracle_flags.ts";
import { answerCache } from "./answer_cache.ts";
import type { Host } from "../ports/host.ts";

/**
 * Makes the door of a program.
 *
 * @param host Whose environment names key and address, and who is told what goes wrong.
 * @returns The door; the client is loaded when it is opened.
 */
export function oracleDoor(host: Host): OracleDoor {
  return {
    openCache: answerCache,
    openLive: async () => {
      const { oracleKey } = await import("./oracle_key.ts");
      const { JEV_BASE_URL, jevOracle } = await import("./jev_client.ts");
      return await jevOracle({
        key: await oracleKey(host),
        baseUrl: host.env("TYPESAFE_BASE_URL")?.trim() || JEV_BASE_URL,
        monotonicMs: () => host.monotonicMs(),
        say: (line) => host.say(line),
      });
    },
  };
}
