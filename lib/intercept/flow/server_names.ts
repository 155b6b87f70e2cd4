/**
 * The names a flow has for one server's tools.
 *
 * A flow learned from several servers at once calls their tools `server::tool`;
 * the server itself knows nothing of that. A proxy looks up only its own.
 *
 * @module
 */

/** Translates between a server's names and a flow's. */
export interface ServerNames {
  /** The flow's name of a tool of the server. */
  toFlow(tool: string): string;
  /** The server's name of a tool of the flow; undefined for another server's. */
  toServer(tool: string): string | undefined;
  /** Whether the flow knows the server at all. */
  readonly isKnown: boolean;
}

const SEPARATOR = "::";

/**
 * Finds the names.
 *
 * @param tools The flow's tools.
 * @param serverName What this server is called.
 * @returns The names: as they are, when the flow qualifies none.
 */
export function serverNames(
  tools: readonly string[],
  serverName: string | undefined,
): ServerNames {
  if (!tools.some((tool) => tool.includes(SEPARATOR))) {
    return { toFlow: (tool) => tool, toServer: (tool) => tool, isKnown: true };
  }
  const prefix = `${serverName ?? ""}${SEPARATOR}`;
  return {
    toFlow: (tool) => prefix + tool,
    toServer: (tool) => tool.startsWith(prefix) ? tool.slice(prefix.length) : undefined,
    isKnown: tools.some((tool) => tool.startsWith(prefix)),
  };
}
