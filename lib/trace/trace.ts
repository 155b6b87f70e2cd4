/**
 * A traceOf log looked at from every side that its readers need: messages,
 * pairs, calls and names, each worked out once.
 *
 * @module
 */

import type { PartialLog } from "../log/log.ts";
import { type CallSteps, callSteps } from "./calls.ts";
import { type Pairing, pairing } from "./pairing.ts";
import { type Parties, parties } from "./parties.ts";
import { type WireMessage, wireMessages } from "./wire_messages.ts";

/** A log, understood. */
export interface Trace {
  /** The log. */
  readonly log: PartialLog;
  /** Its lines as messages, batches taken apart. */
  readonly messages: readonly WireMessage[];
  /** Which response belongs to which request. */
  readonly pairs: Pairing;
  /** What happened to tool calls. */
  readonly steps: CallSteps;
  /** Who talks. */
  readonly parties: Parties;
}

/**
 * Understands a log.
 *
 * @param log A traceOf log, or what could be read of one.
 * @returns All that follows from its lines.
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
