/**
 * Command lines as tables: each command has one table of its flags. Parsing, usage errors, `--help`
 * and the reference in docs/cli.md come from it.
 *
 * A usage error names the flag. An unknown flag, a missing value, a flag given twice and a surplus
 * argument are refused, never guessed.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { nearest } from "../text/nearest.ts";

/** One flag of a command. */
export interface Flag {
  /** Name without the dashes. */
  readonly name: string;
  /** Placeholder of the value, such as `DIR`; absent for a switch. */
  readonly value?: string;
  /** Whether the flag may be given more than once. */
  readonly repeat?: true;
  /** What it does, one or two sentences. */
  readonly help: string;
}

/** The command line of one command. */
export interface FlagTable {
  /** Program, with the subcommand if there is one: `hoist episodes`. */
  readonly program: string;
  /** What it does, one sentence. */
  readonly summary: string;
  /** Usage lines, each without the program's name. */
  readonly usage: readonly string[];
  /** Its flags. `--help` and `--version` are added to each table. */
  readonly flags: readonly Flag[];
  /** Names of the positional arguments, in order; none by default. One that ends in `…` takes any number. */
  readonly positionals?: readonly string[];
  /** Whether a command may follow `--`. */
  readonly command?: true;
  /** Closing paragraphs of the help text: exit codes, environment. */
  readonly notes?: readonly string[];
  /** Whole command lines to try; a test parses each by this table. */
  readonly examples?: readonly string[];
}

/** The values a command line gave. */
export interface FlagValues {
  /** Whether the flag was given. */
  has(name: string): boolean;
  /** The flag's value, or undefined when it was not given. */
  get(name: string): string | undefined;
  /** Every value of a flag that may be repeated. */
  all(name: string): readonly string[];
  /** Positional arguments, as given; also those after `--` where no command may follow it. */
  readonly positionals: readonly string[];
  /** The command after `--`; undefined when there was no `--`, or none may follow. */
  readonly command: readonly string[] | undefined;
}

/** The outcome of parsing: values, a text for stdout (`--help`), or a refusal. */
export type Parsed =
  | { readonly kind: "values"; readonly values: FlagValues }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "refused"; readonly message: string };

/** What `parseArgs` gives, whose types know the names in a table too little. */
interface Given extends Readonly<Record<string, unknown>> {
  readonly _: readonly (string | number)[];
}

const COMMON: readonly Flag[] = [
  { name: "help", help: "Print this text and exit." },
  { name: "version", help: "Print the version and exit." },
];

/**
 * Reads a command line by its table.
 *
 * @param table The command's table.
 * @param args The arguments after the program's (and subcommand's) name.
 * @param version What `--version` prints.
 * @returns The values, a text for stdout, or the refusal.
 */
export function parseFlags(table: FlagTable, args: readonly string[], version: string): Parsed {
  const cut = args.indexOf("--");
  const head = cut < 0 ? args : args.slice(0, cut);
  const command = cut < 0 ? undefined : args.slice(cut + 1);
  const flags = [...table.flags, ...COMMON];
  const switches = flags.filter((f) => f.value === undefined).map((f) => f.name);
  const valued = flags.filter((f) => f.value !== undefined).map((f) => f.name);
  const faults: string[] = [];
  const unknown: string[] = [];
  const { _: words, ...given }: Given = parseArgs(head, {
    boolean: switches,
    string: [...valued, "_"],
    collect: valued,
    alias: { h: "help" },
    unknown: (arg) => {
      if (!arg.startsWith("-") || arg === "-") return true;
      const bare = /^--([^=]+)=$/.exec(arg)?.[1];
      if (bare !== undefined && valued.includes(bare)) faults.push(`--${bare} needs a value`);
      else unknown.push(unknownFlag(arg.replace(/=.*$/s, ""), flags));
      return false;
    },
  });
  if (given.help === true) return { kind: "text", text: usage(table) };
  if (given.version === true) return { kind: "text", text: `${table.program} ${version}` };
  const list = (name: string): string[] => {
    const values = given[name];
    return Array.isArray(values) ? values.map(String) : [];
  };
  for (const flag of flags) {
    const values = list(flag.name);
    const inline = head.find((arg) => arg.startsWith(`--${flag.name}=`));
    if (flag.value === undefined) {
      if (inline !== undefined) faults.push(`--${flag.name} takes no value`);
      continue;
    }
    if (values.includes("")) faults.push(missingValue(flag, head, flags));
    else if (values.length > 1 && flag.repeat === undefined) {
      faults.push(`--${flag.name} is given ${values.length} times, but takes one value`);
    }
  }
  faults.push(...unknown); // After missing values: `--grace -1` lacks a value first of all.
  const positionals = [...words.map(String), ...table.command ? [] : command ?? []];
  const surplus = positionals[most(table)];
  if (surplus !== undefined) {
    const hint = table.command ? "; a server's command goes after --" : "";
    faults.push(`Unexpected argument "${surplus}"${hint}`);
  }
  const fault = faults[0];
  if (fault !== undefined) return refuse(table, fault);
  return {
    kind: "values",
    values: {
      has: (name) => given[name] === true || list(name).length > 0,
      get: (name) => list(name)[0],
      all: list,
      positionals,
      command: table.command ? command : undefined,
    },
  };
}

/** How many positional arguments a command takes. */
function most({ positionals: names = [] }: FlagTable): number {
  return names.at(-1)?.endsWith("…") ? Infinity : names.length;
}

/**
 * Makes a refusal: the fault, then the command that prints help.
 *
 * @param table The command's table.
 * @param fault The fault; names the flag.
 * @returns The refusal; its message has two lines.
 */
export function refuse(table: FlagTable, fault: string): Parsed & { kind: "refused" } {
  return { kind: "refused", message: `${fault}\nSee '${table.program} --help'` };
}

/**
 * The help text of a command.
 *
 * @param table The command's table.
 * @returns Text for a terminal of 80 columns or more, without a final newline.
 */
export function usage(table: FlagTable): string {
  const lines = [table.summary, ""];
  table.usage.forEach((form, i) => {
    lines.push(`${i === 0 ? "Usage: " : "       "}${table.program} ${form}`);
  });
  const flags = [...table.flags, ...COMMON];
  const heads = flags.map((f) => `--${f.name}${f.value === undefined ? "" : ` ${f.value}`}`);
  const width = Math.max(...heads.map((h) => h.length)) + 2;
  lines.push("", "Options:");
  flags.forEach((flag, i) => {
    const help = flag.help + (flag.repeat ? " May be repeated." : "");
    const [first, ...rest] = wrap(help, Math.max(32, 96 - width - 2));
    lines.push(`  ${(heads[i] ?? "").padEnd(width)}${first}`);
    for (const line of rest) lines.push(`  ${" ".repeat(width)}${line}`);
  });
  for (const note of table.notes ?? []) lines.push("", note);
  const examples = table.examples ?? [];
  if (examples.length > 0) {
    lines.push(
      "",
      examples.length > 1 ? "Examples:" : "Example:",
      ...examples.map((e) => `  ${e}`),
    );
  }
  return lines.join("\n");
}

/**
 * A flag with its value as words of a command line.
 *
 * @param name The flag's name.
 * @param value Its value, which may begin with a dash.
 * @returns One word or two, which {@linkcode parseFlags} reads back.
 */
export function flagWords(name: string, value: string): string[] {
  return value.startsWith("-") ? [`--${name}=${value}`] : [`--${name}`, value];
}

/** A value that begins with a dash is read as a flag unless it follows "=". */
function missingValue(
  { name, value }: Flag,
  args: readonly string[],
  flags: readonly Flag[],
): string {
  const at = args.indexOf(`--${name}`);
  const next = at < 0 ? undefined : args[at + 1];
  const isFlag = flags.some((flag) => next === `--${flag.name}`);
  const isDashed = next?.startsWith("-") === true && !isFlag;
  return `--${name} needs a value: ${value}` +
    (isDashed ? `; one that begins with a dash is written --${name}=${next}` : "");
}

function unknownFlag(given: string, flags: readonly Flag[]): string {
  const meant = nearest(given.replace(/^-+/, ""), flags.map((flag) => flag.name));
  return `Unknown flag ${given}${meant === undefined ? "" : `; did you mean --${meant}?`}`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  lines.push(line);
  return lines;
}
