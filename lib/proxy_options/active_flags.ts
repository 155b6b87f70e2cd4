/**
 * The flags of `hoist-mcp` that act on a session, by a flow or otherwise, and the options they make.
 *
 * @module
 */

import { expandHome } from "../flags/expand_home.ts";
import { FlagFault, FlagReader } from "../flags/flag_reader.ts";
import type { Flag, FlagValues } from "../flags/flags.ts";
import { parseWrites, type WriteOptions } from "./write_flags.ts";

/** The flags of a flow. */
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
    name: "flow-explore",
    value: "EPSILON",
    help: "With this probability take another lookup than the rule's, and log what was likely; 0 " +
      "only logs.",
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

/** The flags of the oracle. */
export const ORACLE_FLAGS: readonly Flag[] = [
  {
    name: "oracle",
    value: "NAME",
    help:
      "Who answers the questions of arbiter, judge and rules: jev, replay (the cache alone) or mock. jev " +
      "needs TYPESAFE_API_KEY, or TYPESAFE_API_KEY_FILE with the name of a file. Default: jev. With " +
      "--guards it has the rules' questions asked; without it they are where --confirm-judge is.",
  },
  {
    name: "oracle-cache",
    value: "DIR",
    help: "Where the oracle's answers are kept. Default: ~/.hoist/oracle-cache.",
  },
];

/** Whose answers an arbiter, a judge or a rule weighs. */
export interface OracleOptions {
  readonly kind: "jev" | "replay" | "mock";
  /** Folder of kept answers. */
  readonly cacheDir: string;
}

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
  readonly tools: readonly string[] | undefined;
  readonly isShadow: boolean;
  readonly explore: { readonly epsilon: number; readonly seed: number } | undefined;
  /** The flow log's name, `{session}` in it. */
  readonly log: string | undefined;
  readonly questions: number;
  readonly taskId: string | undefined;
}

/** What acts on a session. */
export interface ActiveOptions {
  /** `--flow`. */
  readonly flow: FlowOptions | undefined;
  /** What is done about writes. */
  readonly writes: WriteOptions;
  /** `--oracle`; undefined where nothing asks one. */
  readonly oracle: OracleOptions | undefined;
}

/**
 * Reads the flags.
 *
 * @param values The command line's values.
 * @param home The home directory, for a leading `~`; undefined when unknown.
 * @returns The options, or what is wrong, naming the flag.
 */
export function parseActiveFlags(
  values: FlagValues,
  home: string | undefined,
): ActiveOptions | string {
  try {
    const read = new FlagReader(values, home);
    const flow = parseFlow(values, read);
    const stray = FLOW_FLAGS.find(({ name }) => name !== "flow" && values.has(name));
    if (flow === undefined && stray !== undefined) return `--${stray.name} needs --flow`;
    const writes = parseWrites(values, read);
    const asks = flow !== undefined || writes.asking !== undefined;
    const idle = ORACLE_FLAGS.find(({ name }) => values.has(name));
    if (!asks && idle !== undefined) {
      return `--${idle.name} needs --flow, --guards or --confirm-judge`;
    }
    return { flow, writes, oracle: asks ? parseOracle(read, home) : undefined };
  } catch (error) {
    if (error instanceof FlagFault) return error.message;
    throw error;
  }
}

function parseFlow(values: FlagValues, read: FlagReader): FlowOptions | undefined {
  const path = read.path("flow");
  if (path === undefined) return undefined;
  const epsilon = read.probability("flow-explore");
  const seed = read.count("flow-explore-seed");
  if (seed !== undefined && epsilon === undefined) {
    throw new FlagFault("--flow-explore-seed needs --flow-explore");
  }
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
    tools: values.has("flow-tools") ? tools : undefined,
    isShadow: values.has("flow-shadow"),
    explore: epsilon === undefined ? undefined : { epsilon, seed: seed ?? 0 },
    log: read.path("flow-log"),
    questions: read.count("flow-questions") ?? 300,
    taskId: values.get("task-id"),
  };
}

function parseOracle(read: FlagReader, home: string | undefined): OracleOptions {
  const kind = read.oneOf("oracle", ["jev", "replay", "mock"]) ?? "jev";
  const given = read.path("oracle-cache");
  const cacheDir = given ?? expandHome("~/.hoist/oracle-cache", home) ?? ".hoist/oracle-cache";
  return { kind, cacheDir };
}
