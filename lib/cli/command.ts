/**
 * The frame of a command: its command line, its failures, its status.
 *
 * @module
 */

import type { Runtime } from "../ports/runtime.ts";
import { CLEAR_LINE } from "./progress.ts";
import { printable } from "../text/printable.ts";
import { type FlagTable, type FlagValues, parseFlags, refuse } from "../flags/flags.ts";
import { VERSION } from "../flags/version.ts";
import { messageOf } from "../text/reason.ts";

/** A wrong command line, found while reading it further than its table. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * Runs a command.
 *
 * @param table Its command line.
 * @param args What it was given.
 * @param runtime Where to print.
 * @param body What it does; gives the status.
 * @returns The body's status; 2 after a usage error, 1 when it throws.
 */
export async function runCommand(
  table: FlagTable,
  args: readonly string[],
  runtime: Runtime,
  body: (values: FlagValues) => Promise<number>,
): Promise<number> {
  const parsed = parseFlags(table, args, VERSION);
  if (parsed.kind === "text") {
    runtime.print(parsed.text);
    return 0;
  }
  if (parsed.kind === "refused") return usageFault(parsed.message, runtime);
  try {
    return await body(parsed.values);
  } catch (error) {
    runtime.terminal?.write(CLEAR_LINE); // Work that failed may have said how far it was.
    if (error instanceof UsageError) {
      return usageFault(refuse(table, error.message).message, runtime);
    }
    runtime.say(printable(messageOf(error)));
    return 1;
  }
}

function usageFault(message: string, runtime: Runtime): number {
  for (const line of message.split("\n")) runtime.say(line);
  return 2;
}

/** The value of a flag that the command cannot do without. */
export function needed(values: FlagValues, name: string): string {
  const value = values.get(name);
  if (value === undefined) throw new UsageError(`Missing --${name}`);
  return value;
}

/** A flag's number within bounds; undefined when it was not given. */
export function numberFlag(
  values: FlagValues,
  name: string,
  { min, max, whole = false }: {
    readonly min: number;
    readonly max: number;
    readonly whole?: boolean;
  },
): number | undefined {
  const text = values.get(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (
    text.trim() === "" || !(value >= min && value <= max) || (whole && !Number.isInteger(value))
  ) {
    const kind = whole ? "a whole number" : "a number";
    const range = max === Infinity ? `${min} or more` : `${min} to ${max}`;
    throw new UsageError(`--${name} needs ${kind}, ${range}, not "${text}"`);
  }
  return value;
}
