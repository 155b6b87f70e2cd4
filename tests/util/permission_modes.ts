/**
 * The modes of `hoist-mcp`, a row each: what docs/permissions.md lists, and what a
 * test starts to see whether the list is true.
 *
 * @module
 */

import type { OracleNeeds } from "../../lib/proxy_options/permissions.ts";
import { JEV_BASE_URL } from "../../lib/model_client/jev_client.ts";
import { parseProxyFlags, type ProxyOptions } from "../../lib/proxy_options/proxy_flags.ts";

/** What stands in a mode's command line. */
export interface Names {
  /** The server's command. */
  readonly command: readonly string[];
  /** The upstream's URL. */
  readonly url: string;
  /** The folder of logs. */
  readonly dir: string;
  /** The address to listen on. */
  readonly address: string;
  /** The file of the token. */
  readonly token: string;
  /** A flow. */
  readonly flow: string;
  /** A lock. */
  readonly lock: string;
  /** The file of the conversation. */
  readonly context: string;
  /** The folder of the oracle's answers. */
  readonly cache: string;
  /** A folder that is watched. */
  readonly source: string;
  /** Rules that ask a person. */
  readonly approve: string;
  /** The folder of held calls. */
  readonly held: string;
  /** The file of a session of hai-mcp, its map, and hai-mcp's folders. */
  readonly lease: string;
  readonly map: string;
  readonly home: string;
  readonly owner: string;
}

/** The names as the documentation writes them. */
export const WRITTEN: Names = {
  command: ["COMMAND"],
  url: "https://HOST/mcp",
  dir: "DIR",
  address: "127.0.0.1:8931",
  token: "TOKEN",
  flow: "FLOW",
  lock: "LOCK",
  context: "CONTEXT",
  cache: "CACHE",
  source: "SOURCE",
  approve: "RULES.yaml",
  held: "HELD",
  lease: "LEASE",
  map: "MAP.yaml",
  home: "/HAI_HOME",
  owner: "/HAI_OWNER_HOME",
};

/** The modes: options of `hoist-mcp`. */
export const MODES: readonly ((names: Names) => readonly string[])[] = [
  ({ command }) => ["--", ...command],
  ({ command, dir }) => ["--record", dir, "--", ...command],
  ({ command, dir }) => ["--record", dir, "--retain-days", "30", "--", ...command],
  ({ command, dir, flow }) => ["--record", dir, "--flow", flow, "--", ...command],
  ({ command, dir }) => ["--record", dir, "--domain", "retail", "--guards", "--", ...command],
  ({ command, dir, approve, held }) => [
    ...["--record", dir, "--approve", approve, "--approve-dir", held, "--", ...command],
  ],
  ({ command, dir, lease, map, home, owner }) => [
    ...["--record", dir, "--hai", home, "--hai-owner-home", owner],
    ...["--hai-lease", lease, "--hai-map", map, "--", ...command],
  ],
  ({ command, lock }) => ["--lock", lock, "--", ...command],
  ({ command, dir, context }) => ["--record", dir, "--context", context, "--", ...command],
  ({ command, context, cache, dir }) => [
    ...["--record", dir, "--domain", "retail", "--guards", "--confirm-judge", "log"],
    ...["--context", context, "--oracle-cache", cache, "--", ...command],
  ],
  ({ command, dir }) => ["--record", dir, "--restart", "--", ...command],
  ({ command, source }) => ["--watch", source, "--", ...command],
  ({ url }) => ["--upstream", url],
  ({ url, dir }) => ["--record", dir, "--upstream", url, "--upstream-header", "X-Key=VAR"],
  ({ command, address }) => ["--listen", address, "--", ...command],
  ({ command, address, dir }) => ["--listen", address, "--record", dir, "--", ...command],
  ({ command, address, dir, token }) => [
    ...["--listen", address, "--listen-token-file", token],
    ...["--record", dir, "--retain-days", "30", "--", ...command],
  ],
  ({ url, address, dir }) => ["--listen", address, "--record", dir, "--upstream", url],
];

/** The oracle that a mode asks; undefined for none. */
export function oracleOf({ interceptors, oracle }: ProxyOptions): OracleNeeds | undefined {
  if (interceptors.guard?.asking === undefined || oracle === undefined) return undefined;
  return { ...oracle, baseUrl: JEV_BASE_URL };
}

/** The options that a mode's command line makes. */
export function optionsOf(args: readonly string[]): ProxyOptions {
  const parsed = parseProxyFlags(args, "/home/you");
  if (parsed.kind !== "options") throw new Error(`a mode that is refused: ${args.join(" ")}`);
  return parsed.options;
}
