/**
 * The flags that name recorded sessions, shared by every command that reads them.
 *
 * @module
 */

import { UsageError } from "../../cli/command.ts";
import type { Flag, FlagValues } from "../../flags/flags.ts";
import { SAME_TURN_FLAG, sameTurnMs } from "./same_turn_flag.ts";

/** The flags. */
export const RECORDINGS_FLAGS: readonly Flag[] = [
  {
    name: "sessions",
    value: "DIR",
    help: "Folder of session logs, as hoist-mcp --record wrote them.",
  },
  {
    ...SAME_TURN_FLAG,
    help: `With --sessions: ${SAME_TURN_FLAG.help[0]?.toLowerCase()}${
      SAME_TURN_FLAG.help.slice(1)
    }`,
  },
  {
    name: "results",
    value: "[LABEL=]FILE",
    repeat: true,
    help: "A τ²-bench results file, plain or gzipped; LABEL names its agent.",
  },
  {
    name: "tau2",
    value: "DIR",
    help:
      "A folder of τ²-bench data with a MANIFEST.json: takes the domain's result files, tools and " +
      "task split from it. Episodes of people and of the first benchmark are left out.",
  },
  {
    name: "domain",
    value: "NAME",
    help: "The domain; with --results and --tau2 other files are skipped.",
  },
  { name: "skip-agent", value: "NAME", repeat: true, help: "Leave an agent's episodes out." },
  { name: "agent", value: "NAME", repeat: true, help: "Take only this agent's episodes." },
  {
    name: "split",
    value: "FILE",
    help: "Task split, `{part: [task, …]}`; with --tau2 the domain's own.",
  },
  { name: "split-part", value: "PART", help: "Take only the tasks of this part: train or test." },
  {
    name: "manifest",
    value: "FILE",
    help: "Which tools read and which write; by default what the servers said in the logs.",
  },
  {
    name: "rewards",
    value: "FILE",
    help: "Session to reward, 0 to 1; sessions not named count as solved.",
  },
];

/** Which sessions to read. */
export interface RecordingsRequest {
  readonly sessions: string | undefined;
  readonly results: readonly { readonly agent: string | undefined; readonly path: string }[];
  readonly tau2: string | undefined;
  readonly domain: string | undefined;
  readonly skipAgents: readonly string[];
  readonly agents: readonly string[];
  readonly split: string | undefined;
  readonly splitPart: string | undefined;
  readonly manifest: string | undefined;
  readonly rewards: string | undefined;
  /** The time limit between calls of one turn in session logs. */
  readonly sameTurnMs?: number;
}

/** Options for {@linkcode requestOf}. */
export interface RequestOptions {
  /** Instead of what the flag says. */
  readonly domain?: string | undefined;
  /**
   * Whether it must be known which tools read and which write.
   *
   * @default {true}
   */
  readonly needsManifest?: boolean;
}

/**
 * Reads the flags.
 *
 * @param values The command line.
 * @param options Differences from most commands.
 * @returns The request.
 * @throws {UsageError} When the flags do not go together.
 */
export function requestOf(values: FlagValues, options: RequestOptions = {}): RecordingsRequest {
  const request: RecordingsRequest = {
    sessions: values.get("sessions"),
    results: values.all("results").map((given) => {
      const [, label, path] = /^([^=/]+)=(.+)$/s.exec(given) ?? [];
      return { agent: label, path: path ?? given };
    }),
    tau2: values.get("tau2"),
    domain: "domain" in options ? options.domain : values.get("domain"),
    skipAgents: values.all("skip-agent"),
    agents: values.all("agent"),
    split: values.get("split"),
    splitPart: values.get("split-part"),
    manifest: values.get("manifest"),
    rewards: values.get("rewards"),
    sameTurnMs: sameTurnMs(values),
  };
  if (values.has("same-turn-ms") && request.sessions === undefined) {
    throw new UsageError("--same-turn-ms needs --sessions");
  }
  const fault = faultOf(request, options.needsManifest ?? true);
  if (fault !== undefined) throw new UsageError(fault);
  return request;
}

function faultOf(request: RecordingsRequest, needsManifest: boolean): string | undefined {
  const { sessions, results, tau2, split, splitPart } = request;
  const given = [sessions, tau2, results[0]].filter((x) => x !== undefined);
  if (given.length === 0) return "Missing input: --sessions DIR, --results FILE or --tau2 DIR";
  if (sessions !== undefined && given.length > 1) {
    return "--sessions cannot be given together with --results or --tau2";
  }
  if (tau2 !== undefined && request.domain === undefined) return "--tau2 needs --domain";
  if (split !== undefined && splitPart === undefined) return "--split needs --split-part";
  if (splitPart !== undefined && split === undefined && tau2 === undefined) {
    return "--split-part needs --split or --tau2";
  }
  if (
    needsManifest && results.length > 0 && tau2 === undefined && request.manifest === undefined
  ) {
    return "--results needs --manifest, or --tau2 which has one";
  }
  if (request.rewards !== undefined && sessions === undefined) return "--rewards needs --sessions";
  return undefined;
}
