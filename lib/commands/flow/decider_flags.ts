/**
 * The flags that choose a decider, and how they are read.
 *
 * @module
 */

import { FlowDecider } from "../../flow/deciding/decider.ts";
import type { Decider } from "../../flow/deciding/option.ts";
import type { Flow } from "../../flow/flow.ts";
import { type Run, UsageError } from "../../cli/command.ts";
import type { Flag } from "../../flags/flags.ts";
import { knownAnswers, ORACLE_CACHE_FLAG } from "./oracle_flags.ts";
import type { OracleDoor } from "../../ports/oracle_door.ts";

/**
 * The flags.
 *
 * @param what The help text of `--decider`.
 * @returns Decider, oracle and cache.
 */
export function deciderFlags(what: string): readonly Flag[] {
  return [
    {
      name: "decider",
      value: "reach|habit|arbiter",
      help: `${what} The arbiter decides nothing where the oracle's answer is not known.`,
    },
    {
      name: "oracle",
      value: "replay|mock",
      help: "The arbiter's oracle: replay (the cache alone) or a mock. Default: replay.",
    },
    ORACLE_CACHE_FLAG,
  ];
}

/**
 * Reads the decider a command line names; the arbiter's answers are those known before.
 *
 * @param run The command's run.
 * @param flow The flow.
 * @param otherwise The decider without a flag; by default the one that hoist-mcp would serve
 *   the flow by: its arbiter, else reach, else habit.
 * @returns The decider.
 * @throws {UsageError} When the flow cannot decide so.
 */
export function deciderOf(
  run: Run<{ readonly door: OracleDoor }>,
  flow: Flow,
  otherwise?: Decider,
): FlowDecider {
  const { values } = run;
  const name = values.get("decider") ?? otherwise ??
    (flow.arbiter === undefined ? undefined : "arbiter");
  if (name !== "arbiter") {
    const idle = ["oracle", "oracle-cache"].find((flag) => values.has(flag));
    if (idle !== undefined) throw new UsageError(`--${idle} needs --decider arbiter`);
  }
  if (name === undefined) return new FlowDecider(flow);
  if (name === "arbiter") {
    if (flow.arbiter === undefined) {
      throw new UsageError(
        "--decider arbiter: the flow has no arbiter; hoist learn --oracle fits one",
      );
    }
    return new FlowDecider(flow, name, knownAnswers(run));
  }
  if (name !== "reach" && name !== "habit") {
    throw new UsageError(`--decider needs reach, habit or arbiter, not "${name}"`);
  }
  if (name === "reach" && flow.reach === undefined) {
    throw new UsageError("--decider reach: the flow has no reach counts");
  }
  return new FlowDecider(flow, name);
}
