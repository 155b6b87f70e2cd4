/**
 * The flags of a flow, and the options they make.
 *
 * @module
 */

import { FlagFault, type FlagReader } from "../../flags/flag_reader.ts";
import type { Flag, FlagValues } from "../../flags/flags.ts";
import type { Decider } from "../../flow/deciding/option.ts";
import type { Holdout } from "./holdout.ts";

/** The flags. */
export const FLOW_FLAGS: readonly Flag[] = [
  {
    name: "flow",
    value: "FILE",
    help: "Run this flow after each of the agent's calls: make the lookups it would make next, " +
      "and append them to the result.",
  },
  {
    name: "flow-decider",
    value: "NAME",
    help: "Where a lookup's probability comes from: arbiter, reach or habit. Default: arbiter if " +
      "the flow has one, else reach, else habit.",
  },
  {
    name: "flow-threshold",
    value: "P",
    help: "Least probability of a lookup, its arguments included. Default: as the flow says.",
  },
  { name: "flow-per-call", value: "N", help: "Lookups behind one result, at most. Default: 8." },
  { name: "flow-per-session", value: "N", help: "Lookups a session, at most. Default: 40." },
  {
    name: "flow-surprise",
    value: "off|NATS",
    help:
      "When a session surprises the flow too much to act in it: never, or once the agent's steps " +
      "surprise it by more than so many nats each. Default: as the flow says.",
  },
  {
    name: "flow-lookup-timeout",
    value: "SECONDS",
    help: "How long a lookup may take; then the agent gets its result without it. Default: 10.",
  },
  {
    name: "flow-budget",
    value: "N",
    help: "Characters of a result and all that is appended to it, at most; the least likely " +
      "lookups are left out. Default: as much as the host hands on whole; 10000 for an unknown " +
      "host.",
  },
  {
    name: "flow-tools",
    value: "TOOL",
    repeat: true,
    help:
      "The only tools the flow may call on its own, separated by commas. Default: all that it " +
      "reads as lookups.",
  },
  {
    name: "flow-shadow",
    help: "Decide and log after each call, and look nothing up.",
  },
  {
    name: "flow-holdout",
    value: "SHARE",
    help:
      "Leave this share of sessions, drawn at random, without lookups, so that hoist savings can " +
      "compare. Needs --record.",
  },
  { name: "flow-holdout-seed", value: "N", help: "Seed of that draw. Default: 0." },
  {
    name: "flow-explore",
    value: "EPSILON",
    help:
      "With this probability decide for another lookup than the rule's, and log what was likely, " +
      "for hoist evaluate; 0 only logs. Above 0 it needs --flow-shadow: no user waits for a guess.",
  },
  {
    name: "flow-explore-seed",
    value: "N",
    help: "Seed of exploring. Default: 0.",
  },
  {
    name: "flow-log",
    value: "FILE",
    help:
      "Append each decision here; {session} in it is the host session, else the session's id. " +
      "Default: <session>.flow.jsonl beside the session's log.",
  },
  {
    name: "flow-questions",
    value: "N",
    help: "Questions to the oracle a session, at most. Default: 300.",
  },
  {
    name: "task-id",
    value: "ID",
    help: "Names the task, which picks the fold of the flow's arbiter. Default: the session's id.",
  },
];

/** How a flow is served. */
export interface FlowOptions {
  /** The flow's file. */
  readonly path: string;
  readonly decider: "arbiter" | "reach" | "habit" | undefined;
  readonly threshold: number | undefined;
  readonly perCall: number | undefined;
  readonly perSession: number | undefined;
  readonly surprise: "off" | number | undefined;
  readonly lookupMs: number;
  /** `--flow-budget`; undefined for the host's own. */
  readonly budget: number | undefined;
  readonly tools: readonly string[] | undefined;
  readonly isShadow: boolean;
  readonly holdout: Holdout | undefined;
  readonly explore: { readonly epsilon: number; readonly seed: number } | undefined;
  /** The flow log's name, `{session}` in it. */
  readonly log: string | undefined;
  readonly questions: number;
  readonly taskId: string | undefined;
}

/** A flow that was read and checked. */
export interface FlowJob {
  /** The text of its file. */
  readonly text: string;
  readonly decider: Decider;
}

/** Reads the flags; undefined without `--flow`. Throws a fault when one is wrong. */
export function parseFlow(read: FlagReader, values: FlagValues): FlowOptions | undefined {
  const path = read.path("flow");
  if (path === undefined) {
    const stray = FLOW_FLAGS.find(({ name }) => values.has(name));
    if (stray === undefined) return undefined;
    throw new FlagFault(`--${stray.name} needs --flow`);
  }
  const epsilon = read.probability("flow-explore");
  const seed = read.count("flow-explore-seed");
  if (seed !== undefined && epsilon === undefined) {
    throw new FlagFault("--flow-explore-seed needs --flow-explore");
  }
  if ((epsilon ?? 0) > 0 && !values.has("flow-shadow")) {
    throw new FlagFault("--flow-explore above 0 needs --flow-shadow");
  }
  const holdout = parseHoldout(read, values);
  const tools = values.all("flow-tools").flatMap((list) => list.split(","))
    .map((tool) => tool.trim()).filter((tool) => tool !== "");
  const seconds = read.number("flow-lookup-timeout", /^\d{1,4}(\.\d+)?$/, "seconds") ?? 10;
  if (seconds === 0) throw new FlagFault("--flow-lookup-timeout takes more than 0 seconds");
  return {
    path,
    decider: read.oneOf("flow-decider", ["arbiter", "reach", "habit"]),
    threshold: read.probability("flow-threshold"),
    perCall: read.count("flow-per-call"),
    perSession: read.count("flow-per-session"),
    surprise: values.get("flow-surprise") === "off"
      ? "off"
      : read.number("flow-surprise", /^\d{1,3}(\.\d+)?$/, "off or a number of nats"),
    lookupMs: seconds * 1000,
    budget: read.count("flow-budget"),
    tools: values.has("flow-tools") ? tools : undefined,
    isShadow: values.has("flow-shadow"),
    holdout,
    explore: epsilon === undefined ? undefined : { epsilon, seed: seed ?? 0 },
    log: read.path("flow-log"),
    questions: read.count("flow-questions") ?? 300,
    taskId: values.get("task-id"),
  };
}

function parseHoldout(read: FlagReader, values: FlagValues): Holdout | undefined {
  const share = read.probability("flow-holdout");
  const seed = read.count("flow-holdout-seed");
  if (share === undefined) {
    if (seed !== undefined) throw new FlagFault("--flow-holdout-seed needs --flow-holdout");
    return undefined;
  }
  if (!values.has("record")) throw new FlagFault("--flow-holdout needs --record");
  if (values.has("flow-shadow")) {
    throw new FlagFault("--flow-holdout and --flow-shadow exclude each other");
  }
  return { share, seed: seed ?? 0 };
}
