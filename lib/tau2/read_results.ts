/**
 * Reads τ²-bench result files as episodes, in four shapes: the benchmark's own
 * results, an evaluation dump, one task per line, and the list of the first τ-bench.
 *
 * Unknown fields are ignored. The fixed greeting is dropped, so that recordings and
 * live sessions have the same history. A run without messages is only counted.
 *
 * @module
 */

import { type Episode, linkEpisode } from "../trace/episode.ts";
import { at, isObject, jsonOrUndefined, textAt } from "../json/json.ts";
import { readTau2Messages } from "./read_messages.ts";
import { ResultsSyntaxError } from "./results_error.ts";

/** The shapes of result files. */
export type ResultsFormat = "tau2-results" | "tau2-eval-dump" | "tau2-task-jsonl" | "tau1-list";

/** The content of a results file. */
export interface Results {
  /** The file's shape. */
  readonly format: ResultsFormat;
  /** The episodes that have messages, in file order. */
  readonly episodes: readonly Episode[];
  /** The number of runs without messages. */
  readonly skipped: number;
}

/** Options for {@linkcode readResults}. */
export interface ResultsOptions {
  /** The file's name, for messages and ids. */
  readonly path: string;
  /** The agent's name; by default the file's own. */
  readonly agent?: string;
}

/** One run of a file, of any shape. */
interface Run {
  readonly where: string;
  readonly taskId: unknown;
  readonly trial: unknown;
  readonly reward: unknown;
  readonly messages: unknown;
}

/**
 * Reads a results file.
 *
 * @param text The file's text.
 * @param options The file's name, and the agent's.
 * @returns The episodes.
 * @throws {ResultsSyntaxError} When the file has none of the four shapes; names the place.
 */
export function readResults(text: string, options: ResultsOptions): Results {
  const { format, runs, agent, domain } = layout(text, options.path);
  const name = options.path.replace(/^.*\//, "").replace(/\.jsonl?(\.gz)?$/, "");
  const episodes: Episode[] = [];
  const tools = new Set<string>();
  let skipped = 0;
  runs.forEach((run, i) => {
    if (!Array.isArray(run.messages) || run.messages.length === 0) {
      if (run.messages !== undefined && run.messages !== null && !Array.isArray(run.messages)) {
        throw new ResultsSyntaxError(options.path, `${run.where}.messages`, "is not a list");
      }
      skipped++;
      return;
    }
    if (typeof run.taskId !== "string" && typeof run.taskId !== "number") {
      throw new ResultsSyntaxError(
        options.path,
        `${run.where}.task_id`,
        "is neither text nor number",
      );
    }
    const events = readTau2Messages(run.messages, { path: options.path, where: run.where });
    for (const event of events) {
      if (event.kind === "assistant") event.calls.forEach((call) => tools.add(call.name));
    }
    episodes.push(linkEpisode({
      id: `${name}#${i}`,
      task_id: String(run.taskId),
      trial: typeof run.trial === "number" ? run.trial : 0,
      domain: "",
      agent_model: options.agent ?? agent ?? "unknown",
      reward: typeof run.reward === "number" ? run.reward : 0,
      events,
    }));
  });
  for (const episode of episodes) episode.domain = domain ?? domainOf([...tools]);
  return { format, episodes, skipped };
}

interface Layout {
  readonly format: ResultsFormat;
  readonly runs: readonly Run[];
  readonly agent: string | undefined;
  readonly domain: string | undefined;
}

function layout(text: string, path: string): Layout {
  const whole = jsonOrUndefined(text);
  if (whole === undefined || isTaskLine(whole)) return taskLines(text, path);
  if (Array.isArray(whole)) return tau1List(whole, path);
  const simulations = at(whole, "simulations");
  const info = at(whole, "info");
  if (Array.isArray(simulations)) {
    return {
      format: "tau2-results",
      runs: simulations.map((run, i) => simulation(run, `$.simulations[${i}]`)),
      agent: textAt(info, "agent_info", "llm"),
      domain: textAt(info, "environment_info", "domain_name"),
    };
  }
  const dump = at(whole, "task_results");
  if (Array.isArray(dump)) {
    return {
      format: "tau2-eval-dump",
      runs: dump.map((item, i) => {
        const run = simulation(at(item, "trajectory"), `$.task_results[${i}].trajectory`);
        return {
          ...run,
          taskId: run.taskId ?? at(item, "task_id"),
          trial: run.trial ?? at(item, "trial"),
          reward: run.reward ?? at(item, "reward"),
        };
      }),
      agent: textAt(whole, "config", "agent_llm") ?? textAt(whole, "config", "agent_model"),
      domain: textAt(whole, "config", "domain"),
    };
  }
  throw new ResultsSyntaxError(path, "$", "has neither simulations, task_results nor runs");
}

function simulation(run: unknown, where: string): Run {
  return {
    where,
    taskId: at(run, "task_id"),
    trial: at(run, "trial"),
    reward: at(run, "reward_info", "reward"),
    messages: at(run, "messages"),
  };
}

function isTaskLine(value: unknown): boolean {
  return isObject(value) && "messages" in value && "task_id" in value;
}

function taskLines(text: string, path: string): Layout {
  const runs: Run[] = [];
  text.split("\n").forEach((line, i) => {
    if (line.trim() === "") return;
    const value = jsonOrUndefined(line);
    if (!isTaskLine(value)) {
      const what = value === undefined ? "is not JSON" : "has no task_id and messages";
      throw new ResultsSyntaxError(path, `line ${i + 1}`, what);
    }
    runs.push({ ...simulation(value, `line ${i + 1}`), trial: at(value, "run_info", "trial") });
  });
  if (runs.length === 0) throw new ResultsSyntaxError(path, "the file", "is empty");
  return { format: "tau2-task-jsonl", runs, agent: undefined, domain: undefined };
}

function tau1List(list: readonly unknown[], path: string): Layout {
  const runs = list.map((item, i) => {
    const where = `$[${i}]`;
    if (!isObject(item) || !("traj" in item)) {
      throw new ResultsSyntaxError(path, where, "has no traj");
    }
    const run = simulation(item, where);
    return { ...run, reward: item.reward, messages: item.traj };
  });
  if (runs.length === 0) throw new ResultsSyntaxError(path, "$", "is an empty list");
  return { format: "tau1-list", runs, agent: undefined, domain: undefined };
}

/** The domain whose tools these are; empty when they are of neither. */
function domainOf(tools: readonly string[]): string {
  if (tools.some((t) => /_order|_product|find_user_id/.test(t))) return "retail";
  if (tools.some((t) => /_reservation|_flight|send_certificate/.test(t))) return "airline";
  return "";
}
