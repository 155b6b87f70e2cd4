/**
 * Schemas for the lines of a session log.
 *
 * Unknown keys are ignored. Check the format version first: another version may
 * have any shape.
 *
 * @module
 */

import { z } from "zod";
import { LOG_VERSION } from "./header.ts";

/** A header of this format version. */
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

/** The sources of a line. */
export const SOURCES = ["client", "server", "proxy", "context"] as const;

const SEEN = {
  t_ms: z.int().nonnegative(),
  from: z.enum(SOURCES),
};

/** A line with a message. */
export const MESSAGE_LINE = z.object({ ...SEEN, message: z.unknown() });

/** A line with raw text. */
export const RAW_LINE = z.object({
  ...SEEN,
  raw: z.string(),
  line_bytes: z.int().positive().exactOptional(),
});
