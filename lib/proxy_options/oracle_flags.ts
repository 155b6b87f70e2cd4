/**
 * The flags of the oracle that interceptors ask, and the options they make.
 *
 * @module
 */

import { expandHome } from "../flags/expand_home.ts";
import { FlagFault, type FlagReader } from "../flags/flag_reader.ts";
import type { Flag, FlagValues } from "../flags/flags.ts";

/** The flags of the oracle. */
export const ORACLE_FLAGS: readonly Flag[] = [
  {
    name: "oracle",
    value: "NAME",
    help:
      "Who answers the questions of arbiter, judge and rules: jev, replay (the cache alone) or mock. jev " +
      "needs TYPESAFE_API_KEY, or TYPESAFE_API_KEY_FILE with the name of a file. Default: jev. With " +
      "--guards it has the rules' questions asked; without it they are where --confirm-judge is.",
  },
  {
    name: "oracle-cache",
    value: "DIR",
    help: "Where the oracle's answers are kept. Default: ~/.hoist/oracle-cache.",
  },
];

/** Whose answers an arbiter, a judge or a rule weighs. */
export interface OracleOptions {
  readonly kind: "jev" | "replay" | "mock";
  /** Folder of kept answers. */
  readonly cacheDir: string;
}

/**
 * Reads the flags.
 *
 * @param values The command line's values.
 * @param read Reads them one by one.
 * @param given Whether an interceptor may ask, and the home directory.
 * @returns The options; undefined where nothing asks.
 * @throws {FlagFault} When one is wrong, or nothing asks.
 */
export function parseOracle(
  values: FlagValues,
  read: FlagReader,
  { isAsked, home }: { readonly isAsked: boolean; readonly home: string | undefined },
): OracleOptions | undefined {
  if (!isAsked) {
    const idle = ORACLE_FLAGS.find(({ name }) => values.has(name));
    if (idle === undefined) return undefined;
    throw new FlagFault(`--${idle.name} needs --flow, --guards or --confirm-judge`);
  }
  const kind = read.oneOf("oracle", ["jev", "replay", "mock"]) ?? "jev";
  const given = read.path("oracle-cache");
  const cacheDir = given ?? expandHome("~/.hoist/oracle-cache", home) ?? ".hoist/oracle-cache";
  return { kind, cacheDir };
}
