/**
 * Writes the decisions of one session's flow to its log.
 *
 * @module
 */

import type { Decider } from "../../flow/deciding/option.ts";
import type { Policy } from "../../flow/walking/explore.ts";
import type { FlowDecision } from "../../flow/walking/flow_decision.ts";
import {
  decisionLine,
  type LeftOutEntry,
  leftOutLine,
  runLine,
} from "../../flow/walking/flow_log.ts";
import type { OwnAnswer } from "../chain/interceptor.ts";
import type { OracleSaid } from "./asked_answers.ts";

/** What is the same for all decisions of a session. */
export interface DecisionLogOptions {
  /** Where probabilities come from. */
  readonly decider: Decider;
  readonly isShadow: boolean;
  /** Appends lines, parted by newlines and without the last one. */
  readonly write: (lines: string) => void;
}

/** A decision, and what came with it. */
export interface DecisionEvent {
  /** The id of the agent's call after which it was made, as written. */
  readonly after: string;
  readonly decision: FlowDecision;
  /** How long it took. */
  readonly ms: number;
  /** What the oracle said. */
  readonly said: OracleSaid;
  /** Why its lookup is not made. */
  readonly withheld?: string | undefined;
  /** Why its lookup brought nothing. */
  readonly failed?: string | undefined;
}

/** The log of one session. */
export class DecisionLog {
  /** The chances of an explored decision; part of its line. */
  policy: Policy | undefined;
  readonly #options: DecisionLogOptions;
  /** The line of a hand back, until the run's own follows it. */
  #lastLine: string | undefined;

  /** Starts with nothing written. */
  constructor(options: DecisionLogOptions) {
    this.#options = options;
  }

  /** Logs a decision. */
  decided({ said, withheld, failed, ...logged }: DecisionEvent): void {
    const { decider, isShadow, write } = this.#options;
    const line = decisionLine({
      ...said,
      ...logged,
      decider,
      ms: Math.round(logged.ms),
      ...(isShadow ? { shadow: true } : {}),
      ...(withheld === undefined ? {} : { withheld }),
      ...(failed === undefined ? {} : { failed }),
      ...(this.policy === undefined ? {} : { policy: this.policy }),
    });
    this.policy = undefined;
    // The run ends with a hand back, in the same turn of the event loop: one write does for both.
    if (logged.decision.action.kind === "hand_back") this.#lastLine = line;
    else write(line);
  }

  /** Logs the end of a run. */
  ended(run: Parameters<typeof runLine>[0]): void {
    const line = runLine(run);
    this.#options.write(this.#lastLine === undefined ? line : `${this.#lastLine}\n${line}`);
    this.#lastLine = undefined;
  }

  /** Logs lookups that the agent is not given. */
  leftOut(entry: LeftOutEntry): void {
    this.#options.write(leftOutLine(entry));
  }
}

/** Why a lookup has no answer, in words for the flow log. */
export function failureOf(answer: OwnAnswer, ms: number): string | undefined {
  if (answer.kind === "refused") return `it was refused: ${answer.text}`;
  if (answer.kind === "answer") return undefined;
  return {
    late: `no answer within ${Math.round(ms)} ms`,
    cancelled: "it was given up",
    closed: "the session ended",
    input: "the server asks for input first",
  }[answer.why];
}
