/**
 * The desk of this machine where a person answers held calls.
 *
 * @module
 */

import { answerHeld, heldCalls } from "../disk/approval/approval_folder.ts";
import type { ApprovalDesk } from "../ports/approval_desk.ts";
import type { Runtime } from "../ports/runtime.ts";
import { ownTerminal } from "./terminal.ts";

/** How often the folder is looked at while a person watches. */
const LOOK_MS = 300;

/**
 * Makes the desk.
 *
 * @param runtime The clock.
 * @returns The desk, at the terminal of this process.
 */
export function approvalDesk(runtime: Runtime): ApprovalDesk {
  const { isPresent, ask } = ownTerminal();
  return {
    waiting: (dir) => heldCalls(dir, runtime.unixMs()),
    answer: (dir, answer) => answerHeld(dir, answer, runtime.unixMs()),
    hasTerminal: isPresent,
    ask,
    pause: () => new Promise((resolve) => setTimeout(resolve, LOOK_MS)),
  };
}
