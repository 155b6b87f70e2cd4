/**
 * What every command shares: reading its command line, saying what failed, its exit status.
 *
 * @module
 */

import type { Runtime } from "../ports/runtime.ts";
import { CLEAR_LINE } from "./progress.ts";
import { printable } from "../text/printable.ts";
import { type FlagTable, type FlagValues, parseFlags, refuse } from "../flags/flags.ts";
import { VERSION } from "../flags/version.ts";
import { messageOf } from "../text/reason.ts";

/** A usage error that the flag table cannot find. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * Runs a command.
 *
 * @param table Its command line.
 * @param args The arguments.
 * @param runtime Where to print.
 * @param body Its work; returns the exit status.
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
    runtime.terminal?.write(CLEAR_LINE); // A progress line may still be shown.
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

/** One run of a command: its command line, the runtime, and the ports its body works with. */
export type Run<Ports> = Ports & { readonly values: FlagValues; readonly runtime: Runtime };

/** A command as a function of its arguments. */
export type CommandFunction<Ports> = (
  args: readonly string[],
  runtime: Runtime,
  ports: Ports,
) => Promise<number>;

/**
 * Makes a command of its table and its body.
 *
 * @param table Its command line.
 * @param body Its work; returns the exit status.
 * @returns The command.
 */
export function commandOf<Ports>(
  table: FlagTable,
  body: (run: Run<Ports>) => Promise<number>,
): CommandFunction<Ports> {
  return (args, runtime, ports) =>
    runCommand(table, args, runtime, (values) => body({ ...ports, values, runtime }));
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
