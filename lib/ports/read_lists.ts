/**
 * What `hoist lock` asks of a server: everything that it lists.
 *
 * @module
 */

import type { ServerLists } from "../tool_lock/locked_lists.ts";
import type { Runtime } from "./runtime.ts";

/** Starts a server by its command, reads its lists, and ends it. */
export type ReadLists = (command: readonly string[], runtime: Runtime) => Promise<ServerLists>;
