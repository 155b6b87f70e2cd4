/**
 * A place in the audit chain.
 *
 * @module
 */

import { z } from "zod";

/** Schema of a place, as files hold it. */
export const AUDIT_MARK = z.object({
  seq: z.int().min(0),
  eventId: z.string(),
  eventHash: z.string(),
});

/** The end of a part of the chain. */
export interface AuditMark {
  /** Number of its last event; 0 for the empty chain. */
  readonly seq: number;
  /** Id of that event; empty for the empty chain. */
  readonly eventId: string;
  /** Hash of that event; empty for the empty chain. */
  readonly eventHash: string;
}

/** The chain before its first event. */
export const EMPTY_CHAIN: AuditMark = { seq: 0, eventId: "", eventHash: "" };
