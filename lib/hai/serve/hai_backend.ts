/**
 * The tools that the MCP server serves, on one control plane. This module is
 * loaded after the server answers its first message, since the schemas take
 * longer to make than all else at start-up.
 *
 * @module
 */

import { requestLines } from "../desk/request_view.ts";
import { CallRefusal, type ToolReply } from "../state/refusal.ts";
import { CORE_TOOLS, listedTool, type ShownTool } from "../tools/tool_listing.ts";
import { TOOLS } from "../tools/tools.ts";
import type { HaiConfig } from "../state/config.ts";
import { HaiShell, type ShellOptions } from "../shell/hai_shell.ts";
import { ownerService } from "../shell/owner_service.ts";

/** Tools, listed and called. */
export interface HaiBackend {
  /** The tools as `tools/list` shows them. */
  list(): readonly ShownTool[];
  /** Carries out a call; every fault is a reply. */
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolReply>;
  /** A request that waits, as the owner's terminal shows it; undefined when there is none of the id. */
  request(challengeId: string): Promise<string | undefined>;
}

/**
 * Makes the backend.
 *
 * @param config Settings.
 * @param options Parts of the control plane.
 * @returns The backend.
 */
export function haiBackend(config: HaiConfig, options: ShellOptions): HaiBackend {
  const shell = new HaiShell(config, options);
  let listed: ShownTool[] | undefined;
  return {
    list: () =>
      listed ??= [...TOOLS.values()]
        .filter(({ name }) => config.tools === "all" || CORE_TOOLS.has(name))
        .map(listedTool),
    call: (name, args) =>
      TOOLS.has(name) ? shell.call(name, args) : Promise.resolve(unknownTool(name)),
    request: async (challengeId) => {
      const waiting = await ownerService(shell).requests();
      const view = "problem" in waiting ? undefined : waiting.find(({ id }) => id === challengeId);
      return view === undefined ? undefined : requestLines(view).join("\n");
    },
  };
}

function unknownTool(name: string): ToolReply {
  const shown = name.slice(0, 100);
  return new CallRefusal("invalid_args", `There is no tool "${shown}"`, {
    code: "unknown_tool",
    field: "name",
    expected: "a name from tools/list",
    got: JSON.stringify(shown),
  }).toReply();
}
