/**
 * What a person's program asks of the machine to answer held calls.
 *
 * @module
 */

import type { ApprovalVerdict } from "../approval/answer.ts";
import type { HeldCall } from "../approval/held_call.ts";

/** A call that waits, as a person is shown it. */
export interface WaitingCall {
  readonly call: HeldCall;
  /** What the answer has to carry: it names everything that was shown. */
  readonly fingerprint: string;
}

/** An answer to a call that was shown. */
export interface PersonsAnswer {
  readonly id: string;
  /** The fingerprint that was shown. */
  readonly fingerprint: string;
  readonly verdict: ApprovalVerdict;
}

/**
 * What came of answering: `gone` when the call waits no more, `changed` when it is not what was
 * shown, `answered` when there is an answer already.
 */
export type Answering = "done" | "gone" | "changed" | "answered";

/** Where a person answers. */
export interface ApprovalDesk {
  /** The calls of a folder that wait, oldest first. */
  waiting(dir: string): WaitingCall[];
  answer(dir: string, answer: PersonsAnswer): Answering;
  /** Whether a person can be asked at a terminal. */
  readonly hasTerminal: boolean;
  /** Asks for a line; undefined at the end of input. */
  ask(question: string): string | undefined;
  /** Settles after a moment. */
  pause(): Promise<void>;
}
