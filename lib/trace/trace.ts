/**
 * Derives everything that readers need from a session log, once: messages,
 * pairs, calls and names.
 *
 * @module
 */

import type { PartialLog } from "../log/log.ts";
import { type CallSteps, callSteps } from "./calls.ts";
import { type Pairing, pairing } from "./pairing.ts";
import { type Parties, parties } from "./parties.ts";
import { type WireMessage, wireMessages } from "./wire_messages.ts";

/** A log with everything derived from it. */
export interface Trace {
  /** The log. */
  readonly log: PartialLog;
  /** Its lines as messages; batches are split. */
  readonly messages: readonly WireMessage[];
  /** The requests with their responses. */
  readonly pairs: Pairing;
  /** The steps of the tool calls. */
  readonly steps: CallSteps;
  /** The host's application and the server. */
  readonly parties: Parties;
}

/**
 * Derives the trace of a log.
 *
 * @param log A session log, or the readable part of one.
 * @returns The trace.
 */
export function traceOf(log: PartialLog): Trace {
  const messages = wireMessages(log.lines);
  const pairs = pairing(messages);
  return {
    log,
    messages,
    pairs,
    steps: callSteps(messages, pairs),
    parties: parties(messages, pairs),
  };
}
