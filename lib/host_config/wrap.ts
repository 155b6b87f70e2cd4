/**
 * Puts `hoist-mcp` in front of the servers of a configuration, and removes it.
 *
 * Only a server's command is changed, in place: comments, other members, order and white space stay.
 * Removing restores the original's own text, so that an otherwise unchanged configuration is the
 * same to the byte.
 *
 * @module
 */

import {
  applyEdits,
  type ConfigMember,
  type ConfigNode,
  type ConfigText,
  type Edit,
} from "./config_text.ts";
import type { HostKind } from "./host_table.ts";
import { addVariables, type PassedVariables, removeVariables } from "./passed_variables.ts";
import {
  type Behind,
  behindHoist,
  type CommandTarget,
  type ServerEntry,
  serversOf,
  type UrlTarget,
} from "./server_entry.ts";

/** A configuration after a change of its servers. */
export interface Changed {
  /** The whole text. */
  readonly text: string;
  /** Names of the servers that were changed. */
  readonly changed: readonly string[];
  /** The servers that were left alone, with the reason. */
  readonly left: readonly { readonly name: string; readonly why: string }[];
}

/** Which servers to change, and how. */
export interface WrapOptions {
  /** The command line with `hoist-mcp` in front of a server, or why there is none. */
  readonly line: (name: string, behind: Behind) => readonly string[] | { readonly why: string };
  /** Names of the servers to change; all when it is empty. */
  readonly only: readonly string[];
  /** What each entry has to bring along. */
  readonly passed: PassedVariables;
}

/**
 * Puts `hoist-mcp` in front of servers.
 *
 * @param config The configuration.
 * @param host Its host.
 * @param options Which servers, and with which command line.
 * @returns The changed text. Servers that it already fronts are left alone.
 */
export function wrapServers(config: ConfigText, host: HostKind, options: WrapOptions): Changed {
  return change(config, host, options.only, ({ path, target }) => {
    if (target.kind === "other") return target.why;
    if (target.kind === "command" && behindHoist(target.words) !== undefined) {
      return "hoist-mcp is in front of it already";
    }
    const line = options.line(path.at(-1) ?? "", target);
    if ("why" in line) return line.why;
    const edits = target.kind === "url"
      ? wrapUrl(config, host, target, line)
      : wrapCommand(config, host, target, line);
    const beside = target.kind === "url" ? target.member : target.args ?? target.command;
    return [...edits, ...addVariables(config, host, path, beside, options.passed)];
  });
}

/**
 * Takes `hoist-mcp` away from servers.
 *
 * @param config The configuration.
 * @param original What it was before {@linkcode wrapServers}.
 * @param host Its host.
 * @param only Names of the servers to change; all when it is empty.
 * @returns The changed text. Servers that `hoist-mcp` fronted in the original are left alone.
 */
export function unwrapServers(
  config: ConfigText,
  original: ConfigText,
  host: HostKind,
  only: readonly string[],
): Changed {
  const before = new Map(serversOf(original.root, host).map((s) => [s.path.join("\0"), s.target]));
  return change(config, host, only, ({ path, target }) => {
    if (target.kind !== "command") return "hoist-mcp is not in front of it";
    const behind = behindHoist(target.words);
    if (behind === undefined) return "hoist-mcp is not in front of it";
    const was = before.get(path.join("\0"));
    if (was === undefined || was.kind === "other") return "--wrap did not make it";
    const edits = unwrapEntry({ config, original }, target, was, behind);
    if (typeof edits === "string") return edits;
    return [...edits, ...removeVariables(config, original, host, path)];
  });
}

function change(
  config: ConfigText,
  host: HostKind,
  only: readonly string[],
  editsOf: (entry: ServerEntry) => Edit[] | string,
): Changed {
  const edits: Edit[] = [];
  const changed = [];
  const left = [];
  for (const entry of serversOf(config.root, host)) {
    const name = entry.path.at(-1) ?? "";
    if (only.length > 0 && !only.includes(name)) continue;
    const made = editsOf(entry);
    if (typeof made === "string") left.push({ name, why: made });
    else {
      edits.push(...made);
      changed.push(name);
    }
  }
  return { text: applyEdits(config, edits), changed, left };
}

function wrapCommand(
  config: ConfigText,
  host: HostKind,
  target: CommandTarget,
  line: readonly string[],
): Edit[] {
  const { command, args, words } = target;
  if (host.isCommandList && args === undefined && command.node.items !== undefined) {
    return [insertFirst(config, command.node, line.slice(0, line.length - words.length))];
  }
  return [
    replace(command.node, config.quote(line[0] ?? "")),
    args === undefined
      ? insertAfter(config, command, line.slice(1))
      : insertFirst(config, args.node, line.slice(1, line.length - words.length + 1)),
  ];
}

function wrapUrl(
  config: ConfigText,
  host: HostKind,
  { member, type }: UrlTarget,
  line: readonly string[],
): Edit[] {
  const text = host.isCommandList
    ? config.pair(member, "command", line)
    : config.pair(member, "command", line[0] ?? "") + config.separator(member) +
      config.pair(member, "args", line.slice(1));
  const edits = [{ start: member.start, end: member.node.end, text }];
  if (type !== undefined) edits.push(replace(type.node, config.quote(host.commandType ?? "stdio")));
  return edits;
}

interface Both {
  readonly config: ConfigText;
  readonly original: ConfigText;
}

function unwrapEntry(
  both: Both,
  now: CommandTarget,
  was: CommandTarget | UrlTarget,
  behind: Behind,
): Edit[] | string {
  if (was.kind === "command") {
    if (behindHoist(was.words) !== undefined) return "--wrap did not make it";
    if (behind.kind === "url") return "it is reached by URL now, and was started by a command";
    return unwrapCommand(both, now, was, behind.words);
  }
  if (behind.kind !== "url") return "it is started by a command now, and was reached by URL";
  return unwrapUrl(both, now, was, behind.url);
}

function unwrapCommand(
  both: Both,
  now: CommandTarget,
  was: CommandTarget,
  words: readonly string[],
): Edit[] {
  const { config } = both;
  if (was.command.node.items !== undefined) {
    return [replace(now.command.node, spelling(both, was.command.node, words))];
  }
  const rest = words.slice(1);
  const edits = [
    replace(now.command.node, spelling(both, was.command.node, words[0] ?? "")),
  ];
  if (now.args === undefined) return edits;
  if (was.args === undefined && rest.length === 0 && follows(config, now)) {
    return [...edits, { start: now.command.node.end, end: now.args.node.end, text: "" }];
  }
  const text = was.args === undefined ? config.quote(rest) : spelling(both, was.args.node, rest);
  return [...edits, replace(now.args.node, text)];
}

function unwrapUrl(both: Both, now: CommandTarget, was: UrlTarget, url: string): Edit[] | string {
  const { config, original } = both;
  if (now.args !== undefined && !follows(config, now)) {
    return "its args do not follow its command any more";
  }
  const end = now.args?.node.end ?? now.command.node.end;
  const text = url === was.url
    ? original.text.slice(was.member.start, was.member.node.end)
    : config.pair(now.command, was.key, url);
  const edits = [{ start: now.command.start, end, text }];
  if (now.type !== undefined && was.type !== undefined) {
    edits.push(replace(now.type.node, textOf(original, was.type.node)));
  }
  return edits;
}

/** Whether the args are where {@linkcode wrapServers} puts them: directly after the command. */
function follows(config: ConfigText, { command, args }: CommandTarget): boolean {
  if (args === undefined) return false;
  const between = config.text.slice(command.node.end, args.start);
  return between === config.separator(command);
}

/** The original's spelling of an unchanged value, else the usual one. */
function spelling(
  { config, original }: Both,
  was: ConfigNode,
  value: string | readonly string[],
): string {
  const isSame = JSON.stringify(was.value) === JSON.stringify(value);
  return isSame ? textOf(original, was) : config.quote(value);
}

function textOf(config: ConfigText, { start, end }: ConfigNode): string {
  return config.text.slice(start, end);
}

function replace(node: ConfigNode, text: string): Edit {
  return { start: node.start, end: node.end, text };
}

function insertAfter(config: ConfigText, member: ConfigMember, args: readonly string[]): Edit {
  const { end } = member.node;
  return {
    start: end,
    end,
    text: config.separator(member) + config.pair(member, "args", args),
  };
}

/** Puts words before the first of a list. */
function insertFirst(config: ConfigText, list: ConfigNode, words: readonly string[]): Edit {
  const start = list.start + 1;
  const isEmpty = (list.items ?? []).length === 0;
  const space = /\s/.test(config.text[start] ?? "") ? "" : " ";
  const text = words.map((word) => config.quote(word)).join(", ") + (isEmpty ? "" : `,${space}`);
  return { start, end: start, text };
}
