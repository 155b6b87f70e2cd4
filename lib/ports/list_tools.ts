/**
 * What `hoist procedure check` asks of a server: the list of its tools.
 *
 * @module
 */

import type { ServerTool } from "../procedure/run/verify_tools.ts";
import type { Runtime } from "./runtime.ts";

/** A server, by its command or by its URL. */
export interface ServerAddress {
  /** Program and arguments; empty for a server with a URL. */
  readonly command: readonly string[];
  /** Its URL, and the headers that variables hold. */
  readonly upstream: {
    readonly url: string;
    readonly headers: readonly { readonly name: string; readonly variable: string }[];
  } | undefined;
}

/** Connects to a server, lists its tools, and ends the session. */
export type ListTools = (
  server: ServerAddress,
  runtime: Runtime,
) => Promise<readonly ServerTool[]>;
