/**
 * Completions for shells, made from the flag tables.
 *
 * They know programs, commands and flags, and whether a flag takes a path. The words after `--` are
 * completed as another program's command line.
 *
 * @module
 */

import type { Flag, FlagTable } from "../flags/flags.ts";

/** The supported shells. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** One of {@linkcode SHELLS}. */
export type Shell = (typeof SHELLS)[number];

const COMMON: readonly Flag[] = [
  { name: "help", help: "Print the help text." },
  { name: "version", help: "Print the version." },
];

/** One program or command, as a completion sees it. */
interface Entry {
  readonly program: string;
  /** The command's name; empty for the program itself. */
  readonly command: string;
  readonly table: FlagTable;
  readonly flags: readonly Flag[];
  /** Commands of the program, where this is the program itself. */
  readonly commands: readonly Entry[];
  /** Names and summaries of the command's own commands. */
  readonly subcommands: readonly { readonly name: string; readonly summary: string }[];
}

/**
 * The completions of every program, as a script for a shell.
 *
 * @param shell The shell.
 * @param tables The table of each program and each command.
 * @returns The script.
 */
export function completions(shell: Shell, tables: readonly FlagTable[]): string {
  const entries = entriesOf(tables);
  if (shell === "bash") return bash(entries);
  return shell === "zsh" ? zsh(entries) : fish(entries);
}

function entriesOf(tables: readonly FlagTable[]): Entry[] {
  const entries = tables.flatMap((table) => {
    const [program = "", command = "", name] = table.program.split(" ");
    if (name !== undefined) return [];
    const own = tables.filter((other) => other.program.startsWith(`${table.program} `));
    const below = command === "" ? [] : own;
    const flags = new Map([table, ...below].flatMap((t) => t.flags).map((f) => [f.name, f]));
    return [{
      program,
      command,
      table,
      flags: [...flags.values(), ...COMMON],
      commands: [],
      subcommands: below.map((t) => ({
        name: t.program.slice(table.program.length + 1),
        summary: t.summary,
      })),
    }];
  });
  return entries.map((entry) =>
    entry.command !== "" ? entry : {
      ...entry,
      commands: entries.filter((e) => e.program === entry.program && e.command !== ""),
    }
  );
}

function isPath({ value }: Flag): boolean {
  return value !== undefined && /FILE|DIR/.test(value);
}

function programsOf(entries: readonly Entry[]): string[] {
  return entries.filter((e) => e.command === "").map((e) => e.program);
}

/** The branches of a `case`, commands before the program they belong to. */
function cases(
  entries: readonly Entry[],
  list: (name: string, words: readonly string[]) => string,
): string {
  const ordered = entries.toSorted((a, b) => Number(a.command === "") - Number(b.command === ""));
  return ordered.map(({ program, command, flags, commands, subcommands }) => {
    const names = (some: readonly Flag[]) => some.map((flag) => `--${flag.name}`);
    const valued = flags.filter((flag) => flag.value !== undefined);
    const lists = [
      list("flags", names(flags)),
      list("paths", names(valued.filter(isPath))),
      list("others", names(valued.filter((flag) => !isPath(flag)))),
      list("commands", [...commands.map((c) => c.command), ...subcommands.map((s) => s.name)]),
    ];
    return `    ${program}/${command === "" ? "*" : command})\n${
      lists.map((line) => `      ${line}\n`).join("")
    }      ;;\n`;
  }).join("");
}

function bash(entries: readonly Entry[]): string {
  const list = (name: string, words: readonly string[]) => `${name}=$'${words.join("\\n")}'`;
  return `# Completions for bash. Made by 'hoist completions bash'; put it into ~/.bashrc as
#   source <(hoist completions bash)
_hoist_programs() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  local program="\${COMP_WORDS[0]##*/}" command= flags= paths= others= commands= word IFS=$'\\n'
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ $word == -- ]]; then
      COMPREPLY=($(compgen -c -- "$cur"; compgen -f -- "$cur"))
      return
    fi
  done
  if [[ $COMP_CWORD -gt 1 ]]; then command="\${COMP_WORDS[1]}"; fi
  case "$program/$command" in
${cases(entries, list)}  esac
  if [[ $'\\n'"$paths"$'\\n' == *$'\\n'"$prev"$'\\n'* ]]; then
    COMPREPLY=($(compgen -f -- "$cur"))
  elif [[ $'\\n'"$others"$'\\n' == *$'\\n'"$prev"$'\\n'* ]]; then
    return
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  elif [[ -n $commands && $COMP_CWORD -eq $(( \${#command} > 0 ? 2 : 1 )) ]]; then
    COMPREPLY=($(compgen -W "$commands" -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -o filenames -F _hoist_programs ${programsOf(entries).join(" ")}
`;
}

function zsh(entries: readonly Entry[]): string {
  const list = (name: string, words: readonly string[]) => `${name}=(${words.join(" ")})`;
  const programs = programsOf(entries).join(" ");
  return `#compdef ${programs}
# Completions for zsh. Made by 'hoist completions zsh'; put it into ~/.zshrc, after compinit, as
#   source <(hoist completions zsh)
_hoist_programs() {
  local program=\${words[1]:t} command= prev=$words[CURRENT-1]
  local -a flags paths others commands
  local -i cut=\${words[(i)--]}
  if (( cut < CURRENT )); then
    words=("\${(@)words[cut+1,-1]}")
    (( CURRENT -= cut ))
    _normal
    return
  fi
  (( CURRENT > 2 )) && command=$words[2]
  case "$program/$command" in
${cases(entries, list)}  esac
  if (( $paths[(Ie)$prev] )); then
    _files
  elif (( $others[(Ie)$prev] )); then
    return 1
  elif [[ $words[CURRENT] == -* ]]; then
    compadd -- $flags
  elif (( $#commands && CURRENT == ($#command > 0 ? 3 : 2) )); then
    compadd -- $commands
  else
    _files
  fi
}
compdef _hoist_programs ${programs}
`;
}

function fish(entries: readonly Entry[]): string {
  const lines = [
    "# Completions for fish. Made by 'hoist completions fish'; put it into config.fish as",
    "#   hoist completions fish | source",
  ];
  for (const { program, command, table, flags, commands, subcommands } of entries) {
    const names = commands.map((c) => c.command);
    const when = command === ""
      ? (names.length === 0
        ? ""
        : ` -n ${fishWord(`not __fish_seen_subcommand_from ${names.join(" ")}`)}`)
      : ` -n ${fishWord(`__fish_seen_subcommand_from ${command}`)}`;
    for (const sub of commands) {
      const what = fishWord(sub.table.summary);
      lines.push(`complete -c ${program} -n __fish_use_subcommand -a ${sub.command} -d ${what}`);
    }
    for (const { name, summary } of subcommands) {
      lines.push(`complete -c ${program}${when} -a ${name} -d ${fishWord(summary)}`);
    }
    for (const flag of flags) {
      const takes = flag.value === undefined ? "" : isPath(flag) ? " -r -F" : " -x";
      const what = fishWord(flag.help.replace(/(?<=\.)\s.*$/s, ""));
      lines.push(`complete -c ${program}${when} -l ${flag.name}${takes} -d ${what}`);
    }
    if (table.positionals === undefined && table.command === undefined && command !== "") {
      lines.push(`complete -c ${program}${when} -f`);
    }
  }
  return lines.join("\n") + "\n";
}

function fishWord(text: string): string {
  return /^[\w-]+$/.test(text) ? text : `'${text.replace(/['\\]/g, "\\$&")}'`;
}
