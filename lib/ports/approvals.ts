/**
 * Where held calls are put, and where a person's answers come from.
 *
 * @module
 */

import type { KeyedCall } from "../approval/held_call.ts";

/** A folder of held calls, as a proxy sees it. */
export interface ApprovalStore {
  /** Puts a call there. Throws when it cannot. */
  put(held: KeyedCall): void;
  /** The text of the answer to a call; undefined while there is none. Throws when it cannot be read. */
  answerTo(id: string): string | undefined;
  /** Takes an answer that does not count away. */
  dropAnswer(id: string): void;
  /** Takes a call and its answer away. */
  remove(id: string): void;
}
