/**
 * Stand-in for `jsr:@std/cli/parse-args`, for machines that cannot reach JSR.
 *
 * Only the options this repository uses. It imports nothing, since it stands on
 * the path between a host's start of the proxy and the server's start.
 *
 * @module
 */

/** The options of {@linkcode parseArgs} that this repository uses. */
export interface ParseOptions {
  /** Flags that never take a value. */
  boolean?: readonly string[];
  /** Flags that take a value, kept as text; `_` keeps positional arguments as text too. */
  string?: readonly string[];
  /** Flags that may be repeated; their value is the list of all. */
  collect?: readonly string[];
  /** Other names of a flag. */
  alias?: Readonly<Record<string, string>>;
  /** Called for each argument no option names; `false` leaves it out of the result. */
  unknown?: (arg: string, key?: string, value?: unknown) => unknown;
}

/** What {@linkcode parseArgs} found: a value a flag, and the positional arguments as `_`. */
export interface Args {
  /** Positional arguments. */
  _: string[];
  /** `boolean` for a boolean flag, `string` or `string[]` for the others. */
  [flag: string]: string | boolean | string[] | undefined;
}

/** Takes command-line arguments apart, as `@std/cli` does. */
export function parseArgs(args: readonly string[], options: ParseOptions = {}): Args {
  const booleans = new Set(options.boolean);
  const strings = new Set(options.string);
  const collected = new Set(options.collect);
  const unknown = options.unknown ?? (() => true);
  const result: Args = { _: [] };
  for (const name of booleans) result[name] = false;
  for (const name of collected) result[name] = [];

  const store = (name: string, value: string | boolean): void => {
    const list = result[name];
    if (collected.has(name) && Array.isArray(list)) list.push(String(value));
    else result[name] = value;
  };

  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? "";
    const match = /^--?([^=]+)(?:=([^]+))?$/.exec(arg);
    if (match === null || arg === "--") {
      if (unknown(arg) !== false) result._.push(arg);
      continue;
    }
    const given = match[1] ?? "";
    const inline = match[2];
    const name = options.alias?.[given] ?? given;
    if (booleans.has(name)) {
      store(name, inline !== "false");
    } else if (strings.has(name)) {
      const next = args[i + 1];
      if (inline !== undefined) store(name, inline);
      else if (next !== undefined && !/^-/.test(next)) store(name, args[++i] ?? "");
      else store(name, "");
    } else if (unknown(arg, name, inline ?? true) !== false) {
      store(name, inline ?? true);
    }
  }
  return result;
}
