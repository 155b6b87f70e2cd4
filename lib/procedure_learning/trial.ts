/**
 * Runs a procedure on a task, and compares its writes with those of the sessions
 * that solved the task.
 *
 * @module
 */

import type { ReadResult } from "../flow/state/flow_state.ts";
import type { Procedure } from "../procedure/procedure.ts";
import { ProcedureRun } from "../procedure/run/run.ts";
import type { RunEvent } from "../procedure/run/run_step.ts";
import type { JsonObject } from "../json/json.ts";
import type { Manifest } from "../trace/manifest.ts";
import { learnableCalls, type SolvedTask } from "./solved_task.ts";
import { sortedText } from "./action_templates.ts";

/** Answers a call of a trial; undefined when no answer is known. */
export type TrialAnswerer = (
  tool: string,
  args: JsonObject,
) => { readonly error: boolean; readonly content: string } | undefined;

/** A step of a trial that is right or wrong: a write, or the stop. */
export interface TrialStep {
  /** The leaf, as text. */
  readonly leaf: string;
  /** The tool of the write, or the name of the stop action. */
  readonly action: string;
  readonly isRight: boolean;
}

/** The result of a trial. */
export interface Trial {
  readonly task: string;
  readonly steps: readonly TrialStep[];
  /** `resolved` means the same writes as a session that solved the task, then a stop. */
  readonly outcome: "resolved" | "handed_back" | "wrong" | "unanswered";
  readonly reason: string | null;
  readonly writes: number;
  readonly wrongWrites: number;
}

/** Options for {@linkcode runTrial}. */
export interface TrialOptions {
  readonly manifest: Manifest;
  readonly read: ReadResult;
  /** Makes the source of answers for one trial of a task. */
  readonly answerer: (task: SolvedTask) => TrialAnswerer;
}

/** Formats a leaf: its site, and the answers on the path to it. */
export function leafText(place: { readonly site: string; readonly path: readonly string[] }) {
  return [place.site, ...place.path].join(" | ");
}

/**
 * Runs a procedure on a task, up to its first wrong write.
 *
 * @param procedure The procedure.
 * @param task The task.
 * @param options The tools, and the source of answers.
 * @returns The result.
 */
export function runTrial(procedure: Procedure, task: SolvedTask, options: TrialOptions): Trial {
  const run = new ProcedureRun(procedure, { ...task.given, read: options.read });
  const answer = options.answerer(task);
  const solutions = solutionsOf(task, options.manifest);
  const steps: TrialStep[] = [];
  const written: string[] = [];
  let event: RunEvent = { kind: "begin" };
  const trial = (outcome: Trial["outcome"], reason: string | null = null): Trial => ({
    task: task.id,
    steps,
    outcome,
    reason,
    writes: written.length,
    wrongWrites: steps.filter((step) => !step.isRight && step.action !== procedure.stop).length,
  });
  for (;;) {
    const effect = run.step(event);
    const leaf = leafText(run.place);
    if (effect.kind === "end") {
      const { verdict, reason } = run.report();
      if (verdict !== "done" && verdict !== "resolved") return trial("handed_back", reason);
      const isRight = solutions.some((writes) =>
        writes.join("\n") === written.toSorted().join("\n")
      );
      steps.push({ leaf, action: procedure.stop, isRight });
      return trial(isRight ? "resolved" : "wrong", isRight ? null : "it stopped too early");
    }
    const { tool, arguments: args, isRead } = effect.call;
    if (!isRead) {
      const write = writeText(tool, args);
      const isRight = solutions.some((writes) => count(writes, write) > count(written, write));
      steps.push({ leaf, action: tool, isRight });
      written.push(write);
      if (!isRight) return trial("wrong", `it would have made ${write}`);
    }
    const answered = answer(tool, args);
    if (answered === undefined) return trial("unanswered", `nothing answers ${tool}`);
    event = { kind: "answered", ...answered };
  }
}

/** The writes of each session that solved a task, sorted. */
function solutionsOf(task: SolvedTask, manifest: Manifest): string[][] {
  return task.episodes.map((episode) =>
    learnableCalls(episode, manifest)
      .filter(({ name: tool }) => manifest.tools[tool] === "write")
      .map(({ name: tool, arguments: args }) => writeText(tool, args)).sort()
  );
}

function writeText(tool: string, args: JsonObject): string {
  return `${tool} ${sortedText(args)}`;
}

function count(list: readonly string[], text: string): number {
  return list.filter((item) => item === text).length;
}
