/**
 * The shape of a session log's lines, checked when one is read.
 *
 * Lenient: keys this version does not know are ignored. The format version is
 * checked before this schema is asked, since another version may be anything.
 *
 * @module
 */

import { z } from "zod";
import { LOG_VERSION } from "./header.ts";

/** A header, once its version is known to be ours. */
export const HEADER = z.object({
  hoist_mcp_log: z.literal(LOG_VERSION),
  session: z.string().min(1),
  started_unix_ms: z.int().nonnegative(),
  server_command: z.array(z.string()),
  domain: z.string().nullable(),
  agent_model: z.string().nullable(),
  host_session: z.string().exactOptional(),
  server_name: z.string().exactOptional(),
});

const SEEN = {
  t_ms: z.int().nonnegative(),
  from: z.enum(["client", "server", "proxy", "context"]),
};

/** A line that holds a message. */
export const MESSAGE_LINE = z.object({ ...SEEN, message: z.unknown() });

/** A line that holds text. */
export const RAW_LINE = z.object({
  ...SEEN,
  raw: z.string(),
  line_bytes: z.int().positive().exactOptional(),
});
