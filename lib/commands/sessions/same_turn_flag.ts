/**
 * The flag `--same-turn-ms` of every command that finds turns in session logs.
 *
 * @module
 */

import { UsageError } from "../../cli/command.ts";
import type { Flag, FlagValues } from "../../flags/flags.ts";
import { SAME_TURN_MS } from "../../trace/turns.ts";

/** The flag. */
export const SAME_TURN_FLAG: Flag = {
  name: "same-turn-ms",
  value: "N",
  help: "How long after a turn's last answer a call still belongs to the turn. Default: " +
    `${SAME_TURN_MS}. Raise it for hosts slow to stream calls, lower it for scripts.`,
};

/**
 * Reads the flag.
 *
 * @param values The command line.
 * @returns Milliseconds.
 * @throws {UsageError} When the value is not a whole number.
 */
export function sameTurnMs(values: FlagValues): number {
  const ms = values.get("same-turn-ms") ?? String(SAME_TURN_MS);
  if (!/^\d{1,9}$/.test(ms)) {
    throw new UsageError(`--same-turn-ms needs whole milliseconds, not "${ms}"`);
  }
  return Number(ms);
}
