/**
 * `hoist_commit`: several confirmed writes in one call, in order, until one is refused
 * or fails.
 *
 * @module
 */

import { COMMIT_TOOL } from "../../trace/calls.ts";
import { at, isObject, type JsonObject, jsonText, textAt } from "../../json/json.ts";
import { reasonOf } from "../../text/reason.ts";
import {
  type Advertising,
  type Crossing,
  type Interceptor,
  type InterceptorFactory,
  type InterceptorPorts,
  type OwnAnswer,
  PASS,
  type TextAnswer,
  type Verdict,
} from "../chain/interceptor.ts";
import type { SeenMessage } from "../chain/seen.ts";

/** How long one call may take: as long as the SDKs of MCP let a call of the agent take. */
const CALL_MS = 60_000;
/** Calls that one commit may make. */
const MAX_CALLS = 50;

const LISTING = {
  name: COMMIT_TOOL,
  title: "Commit confirmed changes",
  description:
    "Makes several tool calls of this server in order, in one go. Use it for the changes that the " +
    "user has confirmed, when there is more than one. It stops at the first call that is refused " +
    "or fails, and reports the result of every call and which calls were not run.",
  inputSchema: {
    type: "object",
    properties: {
      calls: {
        type: "array",
        description: "The calls, in the order to make them.",
        minItems: 1,
        maxItems: MAX_CALLS,
        items: {
          type: "object",
          properties: {
            name: {
              type: "string",
              description: "The tool's name as this server has it, without what the application " +
                "puts before it: cancel_order, not mcp__shop__cancel_order.",
            },
            arguments: { type: "object", description: "The tool's arguments." },
          },
          required: ["name", "arguments"],
        },
      },
    },
    required: ["calls"],
  },
  annotations: { readOnlyHint: false },
};

/** What the server's instructions say about it. */
const INSTRUCTION = `When the user has confirmed several changes, make them with one call of the ` +
  `tool ${COMMIT_TOOL}, which makes them in order, instead of a call for each.`;

/** A call to make. */
interface Planned {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** The tool, as it is added to the server's. */
export const COMMIT: Advertising["tool"] = {
  name: COMMIT_TOOL,
  listing: JSON.stringify(LISTING),
  instruction: INSTRUCTION,
};

/** Makes the interceptor of one session. */
export const commitInterceptor: InterceptorFactory = (ports) => new CommitInterceptor(ports);

/** What a commit needs to run. */
export interface CommitRun {
  /** Makes a call. */
  readonly call: (tool: string, args: JsonObject) => Promise<OwnAnswer>;
  /** Whether the host has given the commit up. */
  readonly isCancelled: () => boolean;
}

/** Runs the calls of `hoist_commit`, each through the interceptors between it and the server. */
class CommitInterceptor implements Interceptor, Advertising {
  readonly name = "commit";
  readonly tool = COMMIT;
  readonly #ports: InterceptorPorts;
  /** The tools that the server has listed. */
  readonly #names = new Set<string>();

  constructor(ports: InterceptorPorts) {
    this.#ports = ports;
  }

  onMessage(crossing: Crossing): Verdict {
    if (crossing.kind === "answer" && crossing.method === "tools/list") {
      this.#noteNames(crossing.message);
    }
    if (crossing.kind !== "request" || crossing.call?.tool !== COMMIT_TOOL) return PASS;
    const { message, call, isCancelled } = crossing;
    const token = at(message.value, "params", "_meta", "progressToken");
    const answer = runCommit(call.arguments, {
      isCancelled,
      call: (tool, args) => {
        this.#ports.wake();
        return this.#ports.call(this.#toolOf(tool), args, { ms: CALL_MS, token }).reply;
      },
    }).catch((error) => ({
      text: `Error: ${COMMIT_TOOL} stopped: ${reasonOf(error)}`,
      isError: true,
    }));
    return { kind: "answer", answer };
  }

  #noteNames({ value }: SeenMessage): void {
    const tools = at(value, "result", "tools");
    for (const tool of Array.isArray(tools) ? tools : []) {
      const name = textAt(tool, "name");
      if (name !== undefined) this.#names.add(name);
    }
  }

  /** The server's tool of a name, or the only one whose name differs in signs that hosts replace. */
  #toolOf(name: string): string {
    if (this.#names.has(name)) return name;
    const alike = [...this.#names].filter((other) => plainName(other) === plainName(name));
    return alike.length === 1 ? alike[0] ?? name : name;
  }
}

/** A name as hosts show it that allow few signs in names. */
function plainName(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, "_");
}

/** What came of a call of a commit. */
type Outcome = OwnAnswer | "not run";

/**
 * Runs a commit.
 *
 * @param args The arguments of `hoist_commit`.
 * @param run Makes the calls.
 * @returns Its answer.
 */
export async function runCommit(args: JsonObject, run: CommitRun): Promise<TextAnswer> {
  const planned = plannedCalls(args);
  if (typeof planned === "string") {
    return { text: `Error: ${COMMIT_TOOL} ran nothing: ${planned}`, isError: true };
  }
  const outcomes: Outcome[] = [];
  let isStopped = false;
  for (const { name, arguments: args } of planned) {
    isStopped ||= run.isCancelled();
    const outcome: Outcome = isStopped ? "not run" : await run.call(name, args);
    outcomes.push(outcome);
    isStopped ||= outcome !== "not run" && !(outcome.kind === "answer" && !outcome.error);
  }
  const text = planned.map((call, i) => report(call, outcomes[i] ?? "not run")).join("\n\n");
  return { text, isError: isStopped };
}

/** The calls, or what is wrong with them. */
function plannedCalls(args: JsonObject): Planned[] | string {
  const calls = at(args, "calls");
  if (!Array.isArray(calls)) return '"calls" must be a list';
  if (calls.length === 0) return '"calls" is empty';
  if (calls.length > MAX_CALLS) {
    return `"calls" has ${calls.length} entries, ${MAX_CALLS} are the most`;
  }
  const planned: Planned[] = [];
  for (const [i, call] of calls.entries()) {
    const name = textAt(call, "name");
    const given = at(call, "arguments") ?? {};
    if (name === undefined || name === "") return `calls[${i}] names no tool`;
    if (name === COMMIT_TOOL) return `calls[${i}] is ${COMMIT_TOOL} itself`;
    if (!isObject(given)) return `calls[${i}].arguments must be an object`;
    planned.push({ name, arguments: given });
  }
  return planned;
}

function report({ name, arguments: args }: Planned, outcome: Outcome): string {
  const call = `${name} ${jsonText(args)}`;
  if (outcome === "not run") return `${call} was not run.`;
  if (outcome.kind === "refused") return `${call} was refused:\n${outcome.text}`;
  if (outcome.kind === "none") return `${call} ${UNANSWERED[outcome.why]}`;
  return `${call}${outcome.error ? " failed" : ""}:\n${outcome.content}`;
}

/** Why a call has no answer, and what that says of the change. */
const UNANSWERED: Readonly<Record<Extract<OwnAnswer, { kind: "none" }>["why"], string>> = {
  late: `had no answer within ${CALL_MS / 1000} seconds. It is not known whether it was done.`,
  closed: "had no answer. It is not known whether it was done.",
  cancelled: "had no answer. It is not known whether it was done.",
  input: "was not done: the server asks for input first, which a commit cannot give.",
};
