/**
 * What procedures learned from τ²-bench training tasks do on the test tasks: the
 * tables of docs/results_procedures.md.
 *
 *     deno run -A tests/util/procedure_results.ts DATA
 *
 * `DATA` is laid out as the recorded data is. Everything is chosen on training
 * tasks. The test tasks are run by `hoist-procedure` itself, a process a task,
 * against the fixture server; `--in-process` takes the same steps in this process.
 *
 * @module
 */

import { openRecordings } from "../../lib/commands/sessions/recordings.ts";
import {
  answersOf,
  solvedTasks,
  taskInputs,
} from "../../lib/commands/procedure/procedure_compile_command.ts";
import { diskFiles } from "../../lib/disk/file_store.ts";
import {
  type LearnedProcedure,
  learnProcedure,
} from "../../lib/procedure_learning/learn_procedure.ts";
import { depthTable } from "../../lib/procedure_learning/compile_report.ts";
import type { SolvedTask } from "../../lib/procedure_learning/solved_task.ts";
import { lenientParser } from "../../lib/flow/state/lenient.ts";
import { resultReader } from "../../lib/flow/state/read_result.ts";
import type { ReadResult } from "../../lib/flow/state/flow_state.ts";
import { procedureOf } from "../../lib/procedure/read_procedure.ts";
import type { ProcedureFile } from "../../lib/procedure/procedure_schema.ts";
import { runProcedure } from "./run_procedure.ts";
import type { RunReport } from "../../lib/procedure/run/run_report.ts";
import { readSplit } from "../../lib/tau2/read_manifest.ts";
import { readTasks, type TaskTicket } from "../../lib/tau2/read_tasks.ts";
import { Tau2Tools } from "../../lib/tau2/tools.ts";
import type { WorldData } from "../../lib/tau2/world.ts";
import { sortedText } from "../../lib/procedure_learning/action_templates.ts";
import { executable, util } from "./executables.ts";

/** What is needed to learn and to run. */
export interface RetailData {
  readonly dir: string;
  readonly world: WorldData;
  readonly train: readonly SolvedTask[];
  readonly test: readonly TaskTicket[];
  readonly learned: LearnedProcedure;
  readonly read: ReadResult;
}

const WRITES = /^(?:cancel_|modify_|return_delivered_order_items$|exchange_delivered_order_items$)/;

/**
 * Learns on the training tasks.
 *
 * @param dir The data.
 * @param identity Whether who the customer is comes from the scenario, as with `--identity`.
 * @returns Tasks and procedures.
 */
export async function learnRetail(dir: string, identity = false): Promise<RetailData> {
  const { source, manifest, contracts } = await openRecordings({
    sessions: undefined,
    results: [],
    tau2: dir,
    domain: "retail",
    skipAgents: [],
    agents: [],
    split: undefined,
    splitPart: "train",
    manifest: undefined,
    rewards: undefined,
  }, diskFiles);
  const taskFile = `${dir}/tasks/retail-tasks.json.gz`;
  const tickets = readTasks(await diskFiles.readText(taskFile), taskFile, { identity });
  const world: WorldData = JSON.parse(await diskFiles.readText(`${dir}/db/retail-db.json.gz`));
  const byId = new Map(tickets.map(({ id, ticket, inputs }) => [id, { ticket, inputs }]));
  const { tasks: train, agents } = await solvedTasks(source.each(), byId);
  const read = resultReader(await lenientParser());
  const learned = learnProcedure(train, {
    manifest,
    contracts,
    read,
    sources: agents,
    inputs: taskInputs([
      ...train,
      ...tickets.map((given) => ({ id: given.id, given, episodes: [] })),
    ]),
    answerer: () => answersOf(new Tau2Tools("retail", world)),
  });
  const splitFile = `${dir}/tasks/retail-split.json`;
  const part = readSplit(await diskFiles.readText(splitFile), splitFile, "test");
  return { dir, world, train, test: tickets.filter(({ id }) => part.has(id)), learned, read };
}

/** What runs of the test tasks came to. */
export interface TestCounts {
  tasks: number;
  resolved: number;
  handedBack: number;
  wrong: number;
  writes: number;
  wrongWrites: number;
  /** Runs that found the customer. */
  found: number;
  reads: number;
  /** Lookups of the tasks' solutions, and how many of them the runs made. */
  wanted: number;
  made: number;
}

/** Runs one test task; gives its report and the state of the database afterwards. */
export type RunTask = (
  file: ProcedureFile,
  task: TaskTicket,
) => Promise<{ readonly report: RunReport; readonly state: string }>;

/**
 * Runs the test tasks.
 *
 * @param data The tasks.
 * @param file The procedure.
 * @param run How a task is run.
 * @returns Counts as docs/results_procedures.md defines them.
 */
export async function testRetail(
  { test, world }: RetailData,
  file: ProcedureFile,
  run: RunTask,
): Promise<TestCounts> {
  const counts = {
    tasks: 0,
    resolved: 0,
    handedBack: 0,
    wrong: 0,
    writes: 0,
    wrongWrites: 0,
    found: 0,
    reads: 0,
    wanted: 0,
    made: 0,
  };
  for (const task of test) {
    const { report, state } = await run(file, task);
    const gold = new Tau2Tools("retail", world);
    for (const { tool, arguments: args } of task.solution) gold.callTool(tool, args);
    counts.tasks++;
    const isOver = ["resolved", "done", "transferred"].includes(report.verdict);
    if (!isOver) counts.handedBack++;
    else if (state === gold.databaseState()) counts.resolved++;
    else counts.wrong++;
    if (report.calls.some((call) => call.tool === "get_user_details" && !call.error)) {
      counts.found++;
    }
    const made = new Set(
      report.calls.map(({ tool, arguments: args }) => `${tool} ${sortedText(args)}`),
    );
    const lookups = new Set(
      task.solution.filter(({ tool }) => /^(?:get|find|list)_/.test(tool))
        .map(({ tool, arguments: args }) => `${tool} ${sortedText(args)}`),
    );
    counts.wanted += lookups.size;
    for (const lookup of lookups) if (made.has(lookup)) counts.made++;
    const wanted = task.solution.map(({ tool, arguments: args }) => `${tool} ${sortedText(args)}`);
    for (const { tool, arguments: args, error } of report.calls) {
      if (!WRITES.test(tool)) counts.reads++;
      else if (!error) {
        counts.writes++;
        const at = wanted.indexOf(`${tool} ${sortedText(args)}`);
        if (at < 0) counts.wrongWrites++;
        else wanted.splice(at, 1);
      }
    }
  }
  return counts;
}

/** Takes the steps of a run in this process. */
export function inProcess({ world, read }: RetailData): RunTask {
  return async (file, task) => {
    const tools = new Tau2Tools("retail", world);
    const report = await runProcedure(procedureOf(file, "the procedure"), { ...task, read }, {
      call: ({ tool, arguments: args }) => {
        const { text, isError } = tools.callTool(tool, args);
        return Promise.resolve({ kind: "answered", error: isError, content: text });
      },
    });
    return { report, state: tools.databaseState() };
  };
}

/** Runs `hoist-procedure` against the fixture server. */
export function byProgram({ dir }: RetailData): RunTask {
  return async (file, task) => {
    const folder = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${folder}/p.json`, JSON.stringify(file));
      await Deno.writeTextFile(`${folder}/ticket.txt`, task.ticket);
      const [program = "", ...first] = executable("hoist-procedure");
      const { stdout } = await new Deno.Command(program, {
        args: [
          ...first,
          ...["--procedure", `${folder}/p.json`, "--ticket-file", `${folder}/ticket.txt`],
          ...Object.entries(task.inputs).flatMap(([name, value]) => [
            "--input",
            `${name}=${value}`,
          ]),
          "--",
          ...util("tau2_server"),
          ...["--domain", "retail", "--data", dir, "--state", `${folder}/state.json`],
        ],
        stderr: "null",
      }).output();
      const report: RunReport = JSON.parse(new TextDecoder().decode(stdout));
      return { report, state: await Deno.readTextFile(`${folder}/state.json`) };
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  };
}

/** A row of the table. */
export function row(identity: boolean, c: TestCounts): string {
  const label = identity ? "identity from the scenario" : "inputs of solutions";
  const share = (n: number) => `${n} (${(100 * n / c.tasks).toFixed(1)} %)`;
  return `| ${label} | ${share(c.resolved)} | ${share(c.handedBack)} | ${share(c.wrong)} | ` +
    `${c.writes} | ${c.wrongWrites} | ${share(c.found)} | ${(c.reads / c.tasks).toFixed(1)} | ` +
    `${c.made} of ${c.wanted} |`;
}

const HEAD = [
  "| inputs | resolved | handed back | wrong | writes | of them wrong | customer found | reads a task | lookups of the solution |",
  "|---|---|---|---|---|---|---|---|---|",
];

if (import.meta.main) {
  const [dir = "../shared/data/tau2", flag] = Deno.args;
  for (const identity of [false, true]) {
    const data = await learnRetail(dir, identity);
    const { learned, train, test } = data;
    console.log(
      `${identity ? "\nWith the customer's identity\n\n" : ""}${train.length} training tasks:\n`,
    );
    console.log(depthTable(learned.tried).join("\n"));
    console.log(`\n${test.length} test tasks:\n`);
    console.log(HEAD.join("\n"));
    const run = flag === "--in-process" ? inProcess(data) : byProgram(data);
    console.log(row(identity, await testRetail(data, learned.file, run)));
  }
}
