/**
 * `hoist procedure compile`: learns a procedure file from recorded sessions.
 *
 * @module
 */

import { learnProcedure, WRONG_WRITE_COST } from "../../procedure_learning/learn_procedure.ts";
import { trialAnswers } from "../../procedure_learning/trial_answers.ts";
import { compileReport } from "../../procedure_learning/compile_report.ts";
import type { SolvedTask } from "../../procedure_learning/solved_task.ts";
import type { TrialAnswerer } from "../../procedure_learning/trial.ts";
import { lenientParser } from "../../flow/state/lenient.ts";
import { resultReader } from "../../flow/state/read_result.ts";
import type { RunInput } from "../../procedure/run/run_state.ts";
import type { ProcedureFile } from "../../procedure/procedure_schema.ts";
import { readTasks } from "../../tau2/read_tasks.ts";
import { Tau2Tools } from "../../tau2/tools.ts";
import type { Episode } from "../../trace/episode.ts";
import { commandOf, needed, numberFlag, type Run, UsageError } from "../../cli/command.ts";
import type { FlagTable } from "../../flags/flags.ts";
import { progressOn } from "../../cli/progress.ts";
import { recordingsOf } from "../sessions/recordings.ts";
import { RECORDINGS_FLAGS, requestOf } from "../sessions/recordings_flags.ts";
import { openWorldData, WORLD_FLAG } from "../flow/world_flag.ts";
import type { FileStore } from "../../ports/files.ts";
import { workedSessions } from "../sessions/known_sessions.ts";

/** The table of `hoist procedure compile`. */
export const PROCEDURE_COMPILE_FLAGS: FlagTable = {
  program: "hoist procedure compile",
  summary: "Learns a procedure from recorded sessions that solved their task. No model is asked.",
  examples: ["hoist procedure compile --sessions ~/.hoist/logs/orders --out orders.procedure.json"],
  usage: ["[OPTIONS] --sessions DIR --out FILE", "[OPTIONS] --tau2 DIR --domain NAME --out FILE"],
  flags: [
    ...RECORDINGS_FLAGS,
    {
      name: "tasks",
      value: "FILE",
      help: "τ²-bench tasks: their scenarios are the tickets. With --tau2 the domain's own. " +
        "Otherwise a session's ticket is what its customer said.",
    },
    {
      name: "identity",
      help: "With --tasks: the customer's e-mail address, or name and zip code, are inputs even " +
        "where no call of the solution passes them.",
    },
    {
      name: WORLD_FLAG.name,
      value: "DIR",
      help:
        "Try the procedure on τ²-bench databases in this folder instead of on recorded answers.",
    },
    {
      name: "wrong-write-cost",
      value: "TASKS",
      help: "Resolved tasks that one wrong write outweighs, when choosing how much the procedure " +
        `decides. Default: ${WRONG_WRITE_COST}.`,
    },
    { name: "out", value: "FILE", help: "The procedure file to write, whole or not at all." },
  ],
  notes: [
    "The report on stdout shows results on held-out tasks, leaf by leaf.\n" +
    "The same sessions give the same file.",
    "Exit status: 0 done; 1 something could not be read, learned or written; 2 wrong usage.",
  ],
};

/** Runs `hoist procedure compile`. */
export const procedureCompileCommand = commandOf(PROCEDURE_COMPILE_FLAGS, compile);

async function compile(run: Run<{ readonly files: FileStore }>): Promise<number> {
  const { values, runtime, files } = run;
  const out = needed(values, "out");
  const request = requestOf(values);
  const wrongWriteCost = numberFlag(values, "wrong-write-cost", { min: 0, max: 1e6 });
  const path = values.get("tasks") ??
    (request.tau2 === undefined
      ? undefined
      : `${request.tau2}/tasks/${request.domain}-tasks.json.gz`);
  if (path === undefined && values.has("identity")) {
    throw new UsageError("--identity needs --tasks");
  }
  const recordings = await recordingsOf(request, run);
  const { manifest, contracts } = recordings;
  if (!Object.values(manifest.tools).includes("read")) {
    throw new Error("Cannot compile: no tool is marked read-only, so nothing could be looked up");
  }
  const tickets = path === undefined ? undefined : new Map(
    readTasks(await files.readText(path), path, { identity: values.has("identity") })
      .map(({ id, ticket, inputs }) => [id, { ticket, inputs }]),
  );
  const worked = workedSessions(recordings);
  const { tasks, agents } = await solvedTasks(worked.source.each(), tickets);
  worked.say(runtime);
  if (tasks.length === 0) throw new Error("Cannot compile: no session solved its task");
  if (tasks.every(({ given }) => given.ticket === "")) {
    runtime.say(
      "no session holds a conversation, so the procedure has no ticket to decide by: record with " +
        "hoist-mcp --context, or give --tasks",
    );
  }
  const read = resultReader(await lenientParser());
  const world = await openWorldData(values, manifest.domain, files);
  const { domain } = manifest;
  if (world !== undefined && domain !== "retail" && domain !== "airline") {
    throw new UsageError("--world knows the domains retail and airline");
  }
  const progress = progressOn(runtime);
  const learned = learnProcedure(tasks, {
    manifest,
    contracts,
    read,
    sources: agents,
    inputs: taskInputs(tasks),
    answerer: world !== undefined && (domain === "retail" || domain === "airline")
      ? () => answersOf(new Tau2Tools(domain, world))
      : trialAnswers(tasks, manifest),
    ...(wrongWriteCost === undefined ? {} : { wrongWriteCost }),
    onStep: progress.show,
  });
  progress.clear();
  await files.replace(out, JSON.stringify(learned.file, null, 2) + "\n");
  runtime.print(compileReport(learned, tasks.length));
  runtime.say(`wrote ${out}`);
  return 0;
}

/** The tasks that were solved, each with its ticket; without tickets, what the customer said. */
export async function solvedTasks(
  episodes: AsyncIterable<Episode>,
  tickets: ReadonlyMap<string, RunInput> | undefined,
): Promise<{ tasks: SolvedTask[]; agents: string[] }> {
  const byTask = new Map<string, { given: RunInput; episodes: Episode[] }>();
  const agents = new Set<string>();
  for await (const episode of episodes) {
    if (episode.reward < 1) continue;
    const given = tickets === undefined
      ? { ticket: heardIn(episode), inputs: {} }
      : tickets.get(episode.task_id);
    if (given === undefined) continue;
    const task = byTask.get(episode.task_id) ?? { given, episodes: [] };
    byTask.set(episode.task_id, task);
    task.episodes.push(episode);
    agents.add(episode.agent_model);
  }
  return {
    tasks: [...byTask].map(([id, task]) => ({ id, ...task })),
    agents: [...agents].sort(),
  };
}

function heardIn(episode: Episode): string {
  return episode.events.flatMap((event) => event.kind === "user" ? event.text : []).join("\n");
}

/** The inputs that any task has; none is needed by all. */
export function taskInputs(tasks: readonly SolvedTask[]): ProcedureFile["inputs"] {
  const names = new Set(tasks.flatMap(({ given }) => Object.keys(given.inputs)));
  return Object.fromEntries(
    [...names].sort().map((name) => [
      name,
      { type: "string" as const, description: name.replaceAll("_", " "), optional: true },
    ]),
  );
}

/** Answers of the benchmark's own tools. */
export function answersOf(tools: Tau2Tools): TrialAnswerer {
  return (tool, args) => {
    const { text, isError } = tools.callTool(tool, args);
    return { error: isError, content: text };
  };
}
