/**
 * Adds a server to a configuration, or brings one of ours up to date.
 *
 * @module
 */

import { applyEdits, type ConfigText, type Edit, nodeAt } from "./config_text.ts";
import type { HostKind } from "./host_table.ts";
import { behindHoist, serversOf } from "./server_entry.ts";

/** A server to put into a configuration. */
export type NewServer =
  | {
    readonly kind: "command";
    /** Program and arguments. */
    readonly words: readonly string[];
    /** Variables that the host has to hand on to it. */
    readonly variables: readonly string[];
    /** Variables with their values, for a host that passes few; none may be a secret. */
    readonly env?: Readonly<Record<string, string>>;
  }
  | {
    readonly kind: "url";
    readonly url: string;
    /** Variable that holds the bearer token; undefined where none is asked for. */
    readonly bearer: string | undefined;
  };

/**
 * A server as its host spells it.
 *
 * @param server The server.
 * @param host The host.
 * @returns The entry's value.
 * @throws {Error} When the host cannot have such a server.
 */
export function entryOf(server: NewServer, host: HostKind): Record<string, unknown> {
  if (server.kind === "command") {
    const [command = "", ...args] = server.words;
    const { variablesKey } = host;
    const { env = {} } = server;
    return {
      ...host.commandExtra,
      ...(host.isCommandList ? { command: server.words } : { command, args }),
      ...(variablesKey !== undefined && server.variables.length > 0
        ? { [variablesKey]: server.variables }
        : {}),
      ...(variablesKey !== undefined && Object.keys(env).length > 0 ? { env } : {}),
    };
  }
  const { url } = host;
  if (url === undefined) {
    throw new Error(`${host.title} starts servers by a command and takes no URL`);
  }
  if (server.bearer !== undefined && url.bearer === undefined) {
    throw new Error(`${host.title} cannot take a bearer token from a variable`);
  }
  return {
    ...(url.type === undefined ? {} : { type: url.type }),
    [url.keys[0] ?? "url"]: server.url,
    ...(server.bearer === undefined ? {} : url.bearer?.(server.bearer)),
  };
}

/**
 * Puts a server into a configuration.
 *
 * @param config The configuration.
 * @param host Its host.
 * @param name The server's name there.
 * @param server The server.
 * @returns The whole new text.
 * @throws {Error} When another server has the name already.
 */
export function putServer(
  config: ConfigText,
  host: HostKind,
  name: string,
  server: NewServer,
): string {
  const path = [...host.servers[0] ?? [], name];
  if (nodeAt(config.root, path) === undefined) {
    return applyEdits(config, config.add(path, entryOf(server, host)));
  }
  const entry = serversOf(config.root, host)
    .find((s) => s.path.join("\0") === path.join("\0"))?.target;
  const isOurs = entry?.kind === "command" && behindHoist(entry.words) !== undefined;
  if (isOurs && server.kind === "command") {
    if (JSON.stringify(entry.words) === JSON.stringify(server.words)) {
      return config.mark + config.text;
    }
    const edits: Edit[] = entry.args === undefined
      ? [replaced(config, entry.command.node, server.words)]
      : [
        replaced(config, entry.command.node, server.words[0] ?? ""),
        replaced(config, entry.args.node, server.words.slice(1)),
      ];
    return applyEdits(config, edits);
  }
  if (entry?.kind === "url" && server.kind === "url" && entry.url === server.url) {
    return config.mark + config.text;
  }
  throw new Error(
    `there is a server "${name}" already, and it does not start hoist-mcp; choose another ` +
      "--name, or put hoist-mcp before it with --wrap",
  );
}

function replaced(
  config: ConfigText,
  { start, end }: { readonly start: number; readonly end: number },
  value: string | readonly string[],
): Edit {
  return { start, end, text: config.quote(value) };
}
