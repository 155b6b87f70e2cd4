/**
 * The flags of a contract, and the options they make.
 *
 * @module
 */

import { FlagFault, type FlagReader } from "../../flags/flag_reader.ts";
import type { Flag, FlagValues } from "../../flags/flags.ts";
import type { GateJob } from "../../ports/tool_gate.ts";
import type { HaiMap } from "./map.ts";

/** The flags. */
export const HAI_FLAGS: readonly Flag[] = [
  {
    name: "hai",
    value: "DIR",
    help: "Refuse every call that the contract of a hai-mcp session does not allow, before the " +
      "server sees it. DIR is hai-mcp's state, HAI_HOME. See docs/hai_enforcement.md.",
  },
  {
    name: "hai-lease",
    value: "FILE",
    help:
      "The session: JSON with session_id and session_token, mode 0600. It is removed when read.",
  },
  {
    name: "hai-map",
    value: "FILE",
    help:
      "What the server's tools are, and which of their arguments are paths, JSON or YAML. Without " +
      "it no tool is known, so every call is refused.",
  },
  {
    name: "hai-owner-home",
    value: "DIR",
    help: "The owner's folder, HAI_OWNER_HOME. Default: ~/.hai-owner.",
  },
];

/** How a contract is enforced. */
export interface HaiOptions {
  readonly home: string;
  readonly ownerHome: string;
  readonly lease: string;
  readonly map: string | undefined;
}

/** What was read. */
export interface HaiJob {
  readonly map: HaiMap;
  readonly gate: GateJob;
}

/** Reads the flags; undefined without `--hai`. Throws a fault when one is wrong. */
export function parseHaiFlags(read: FlagReader, values: FlagValues): HaiOptions | undefined {
  const home = read.path("hai");
  if (home === undefined) {
    const stray = HAI_FLAGS.find(({ name }) => values.has(name));
    if (stray !== undefined) throw new FlagFault(`--${stray.name} needs --hai`);
    return undefined;
  }
  const lease = read.path("hai-lease");
  if (lease === undefined) throw new FlagFault("--hai needs --hai-lease: whose contract is it?");
  const owner = read.path("hai-owner-home") ?? read.expanded("hai-owner-home", "~/.hai-owner");
  for (const [flag, path] of [["hai", home], ["hai-owner-home", owner]] as const) {
    if (!path.startsWith("/")) {
      throw new FlagFault(`--${flag} takes an absolute path, not "${path}"`);
    }
  }
  return { home: bare(home), ownerHome: bare(owner), lease, map: read.path("hai-map") };
}

function bare(path: string): string {
  return path.replace(/(?<=.)\/+$/, "");
}
