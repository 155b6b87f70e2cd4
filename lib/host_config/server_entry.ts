/**
 * A server in a host's configuration: how it is started or reached, and whether
 * `hoist-mcp` already stands in front of it.
 *
 * @module
 */

import type { ConfigMember, ConfigNode } from "./config_text.ts";
import type { HostKind } from "./host_table.ts";

/** One server of a configuration. */
export interface ServerEntry {
  /** Keys that lead to it; the last is its name. */
  readonly path: readonly string[];
  /** What it is. */
  readonly target: Target;
}

/** How a server is started or reached. */
export type Target =
  | CommandTarget
  | UrlTarget
  | { readonly kind: "other"; readonly why: string };

/** A server that is started by a command. */
export interface CommandTarget {
  readonly kind: "command";
  /** The member `command`. */
  readonly command: ConfigMember;
  /** The member `args`; undefined where there is none, or the command is a list. */
  readonly args: ConfigMember | undefined;
  /** The member `type`, if there is one. */
  readonly type: ConfigMember | undefined;
  /** Program and arguments. */
  readonly words: readonly string[];
}

/** A server that is reached by URL. */
export interface UrlTarget {
  readonly kind: "url";
  /** The member that holds the URL, and its name. */
  readonly member: ConfigMember;
  readonly key: string;
  /** The member `type`, if there is one. */
  readonly type: ConfigMember | undefined;
  readonly url: string;
}

/** Members with which a host authorises itself; their values stay where they are. */
const AUTHORISES = /headers|bearer|oauth|^auth/i;

/**
 * Every server of a configuration.
 *
 * @param root The configuration's root.
 * @param host Its host.
 * @returns The servers, in the order they stand.
 */
export function serversOf(root: ConfigNode, host: HostKind): ServerEntry[] {
  return host.servers.flatMap((path) => below(root, path, [])).map(({ path, node }) => ({
    path,
    target: targetOf(node, host),
  }));
}

interface Found {
  readonly path: readonly string[];
  readonly node: ConfigNode;
}

function below(node: ConfigNode, keys: readonly string[], path: readonly string[]): Found[] {
  const [key, ...rest] = keys;
  const members = [...node.members ?? []];
  if (key === undefined) {
    return members.map(([name, member]) => ({ path: [...path, name], node: member.node }));
  }
  return members.filter(([name]) => key === "*" || name === key)
    .flatMap(([name, member]) => below(member.node, rest, [...path, name]));
}

function targetOf(node: ConfigNode, host: HostKind): Target {
  if (node.members === undefined) return { kind: "other", why: "it is not an object" };
  const command = node.members.get("command");
  if (command?.node.members !== undefined) { // Zed's older spelling: {path, args, env}.
    return commandTarget(command.node.members, "path");
  }
  if (command !== undefined && host.isCommandList) return listTarget(node.members, command);
  if (command !== undefined) return commandTarget(node.members);
  return urlTarget(node.members, host);
}

type Members = ReadonlyMap<string, ConfigMember>;

function commandTarget(members: Members, program = "command"): Target {
  const command = members.get(program);
  const args = members.get("args");
  if (typeof command?.node.value !== "string" || command.node.value === "") {
    return { kind: "other", why: "its command is not a program's name" };
  }
  const words = args?.node.items?.map((item) => item.value) ?? [];
  if ((args !== undefined && args.node.items === undefined) || !areStrings(words)) {
    return { kind: "other", why: "its args are not a list of strings" };
  }
  const type = members.get("type");
  return { kind: "command", command, args, type, words: [command.node.value, ...words] };
}

function listTarget(members: Members, command: ConfigMember): Target {
  const words = command.node.items?.map((item) => item.value) ?? [];
  if (words.length === 0 || !areStrings(words)) {
    return { kind: "other", why: "its command is not a list of strings" };
  }
  return { kind: "command", command, args: undefined, type: members.get("type"), words };
}

function urlTarget(members: Members, host: HostKind): Target {
  const key = host.url?.keys.find((name) => typeof members.get(name)?.node.value === "string");
  const member = key === undefined ? undefined : members.get(key);
  if (host.url === undefined || key === undefined || member === undefined) {
    const why = members.has("url")
      ? `${host.title} reads no URL from this file`
      : "it has neither a command nor a URL";
    return { kind: "other", why };
  }
  const type = members.get("type");
  const said = type?.node.value;
  const isHttp = said === undefined
    ? host.url.isUntypedHttp(key)
    : said === "http" || said === "streamable-http" || said === host.url.type;
  if (!isHttp) return { kind: "other", why: "its transport is not Streamable HTTP" };
  const secret = [...members.keys()].find((name) => AUTHORISES.test(name));
  if (secret !== undefined) {
    return { kind: "other", why: `the values of its "${secret}" stay with the host` };
  }
  return { kind: "url", member, key, type, url: String(member.node.value) };
}

function areStrings(words: readonly unknown[]): words is string[] {
  return words.every((word) => typeof word === "string");
}

/** The server behind `hoist-mcp` on a command line. */
export type Behind =
  | { readonly kind: "command"; readonly words: readonly string[] }
  | { readonly kind: "url"; readonly url: string };

/**
 * Finds the server that a command line puts `hoist-mcp` in front of.
 *
 * @param words Program and arguments.
 * @returns The server's own command or URL; undefined when this does not start `hoist-mcp`.
 */
export function behindHoist(words: readonly string[]): Behind | undefined {
  const cut = words.indexOf("--");
  const head = cut < 0 ? words : words.slice(0, cut);
  if (!startsHoist(head)) return undefined;
  if (cut >= 0) return { kind: "command", words: words.slice(cut + 1) };
  const at = head.findIndex((word) => word === "--upstream" || word.startsWith("--upstream="));
  if (at < 0) return undefined;
  const url = head[at]?.replace(/^--upstream=?/, "") || head[at + 1];
  return url === undefined ? undefined : { kind: "url", url };
}

/** Compiled, of the npm package, or its module run by Deno, directly or through npx. */
function startsHoist([program = "", ...rest]: readonly string[]): boolean {
  const name = base(program);
  if (name === "hoist-mcp") return true;
  const at = rest.findIndex((word) => /^@hoist\/mcp(?:@|$)/.test(word));
  if (name === "npx" && at >= 0) return rest[at + 1] === "hoist-mcp";
  const isDeno = name === "deno" || (name === "npx" && rest.some((w) => /^deno(?:@|$)/.test(w)));
  return isDeno &&
    rest.some((word, i) =>
      base(word) === "hoist_mcp.ts" || /^jsr:@hoist\/mcp(?:@[^/]*)?\/hoist-mcp$/.test(word) ||
      (base(word) === "main.ts" && rest[i + 1] === "hoist-mcp")
    );
}

function base(path: string): string {
  return path.replace(/^.*[/\\]/, "").replace(/\.(?:exe|cmd)$/i, "");
}
