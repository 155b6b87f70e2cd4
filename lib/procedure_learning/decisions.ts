/**
 * Collects decisions: the points where a run has made all its reads and must write,
 * stop or hand back. Each holds what the sessions that solved the task wrote next.
 *
 * @module
 */

import { featuresOf } from "../procedure/run/features.ts";
import { bindAction } from "../procedure/run/bind_action.ts";
import type { Action, Procedure } from "../procedure/procedure.ts";
import { ProcedureRun } from "../procedure/run/run.ts";
import { RunState } from "../procedure/run/run_state.ts";
import type { RunEvent } from "../procedure/run/run_step.ts";
import type { JsonObject } from "../json/json.ts";
import { learnableCalls, type SolvedTask, wasHandedOn } from "./solved_task.ts";
import { ActionTemplates, sortedText } from "./action_templates.ts";
import type { TrialAnswerer, TrialOptions } from "./trial.ts";

/** A write of a recorded session. */
export interface RecordedWrite {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** A point where a run must decide. */
export interface WriteDecision {
  readonly task: SolvedTask;
  readonly site: string;
  readonly state: RunState;
  readonly features: ReadonlySet<string>;
  /** The writes still to make. */
  readonly left: readonly RecordedWrite[];
  /** Whether the session transferred the customer to a person. */
  readonly isHandedOn: boolean;
}

/** An action, and whether it would have been right at each decision. */
export interface TestedAction {
  readonly tool: string;
  readonly text: string;
  /** True where it makes one of the writes still to make; no entry where it does not bind. */
  readonly isRight: ReadonlyMap<WriteDecision, boolean>;
}

/** Decisions, and the actions that reproduce their writes. */
export interface DecisionSet {
  readonly decisions: readonly WriteDecision[];
  /** Actions that made writes of three tasks or more; one of each group that always agrees. */
  readonly actions: readonly TestedAction[];
}

/**
 * Runs a procedure of reads on tasks, and collects the decisions where it ends.
 *
 * @param reader A procedure that only reads.
 * @param tasks The tasks.
 * @param options The tools, and the source of answers.
 * @returns The decisions and the actions.
 */
export function collectDecisions(
  reader: Procedure,
  tasks: readonly SolvedTask[],
  options: TrialOptions,
): DecisionSet {
  const templates = new ActionTemplates();
  const decisions = tasks.flatMap((task) => [...decide(reader, task, options)]);
  // The first decision of a task holds all its writes.
  const told = decisions.filter(({ task }, i) => decisions[i - 1]?.task !== task)
    .map(({ left, state, task }) => ({
      state,
      task,
      calls: left.map((write) => ({ ...write, isWrite: true })),
    }));
  for (const pass of ["seeArguments", "seeCall"] as const) {
    for (const { calls, state, task } of told) {
      for (const call of calls) templates[pass](call, state, task.id);
    }
  }
  const actions = new Map<string, TestedAction>();
  for (const action of templates.mostCommon()) {
    const { tried, behaviour } = tryAction(action, decisions);
    if (!actions.has(behaviour)) actions.set(behaviour, tried);
  }
  const tried = [...actions.values()];
  return { decisions, actions: tried.filter((one, i) => !isOutdone(one, i, tried)) };
}

/** Whether another action is right wherever this one is, and is never wrong elsewhere. */
function isOutdone(one: TestedAction, at: number, all: readonly TestedAction[]): boolean {
  return all.some((other, i) => {
    if (i === at) return false;
    const keepsRight = [...one.isRight].every(([d, right]) => !right || other.isRight.get(d));
    const addsWrong = [...other.isRight].some(([d, right]) =>
      !right && one.isRight.get(d) !== false
    );
    if (!keepsRight || addsWrong) return false;
    const isSame = one.isRight.size === other.isRight.size &&
      [...one.isRight].every(([d, right]) => other.isRight.get(d) === right);
    return !isSame || i < at;
  });
}

/** Binds an action at each decision; actions that never differ have the same behaviour text. */
function tryAction(
  action: Action,
  decisions: readonly WriteDecision[],
): { tried: TestedAction; behaviour: string } {
  const isRight = new Map<WriteDecision, boolean>();
  const calls: string[] = [];
  decisions.forEach((decision, i) => {
    const bound = bindAction(action, decision.state);
    if (bound.kind === "unbound") return;
    const text = `${action.tool} ${sortedText(bound.arguments)}`;
    calls.push(`${i} ${text}`);
    const isWritten = decision.left.some(({ tool, arguments: args }) =>
      `${tool} ${sortedText(args)}` === text
    );
    isRight.set(decision, isWritten);
  });
  return { tried: { tool: action.tool, text: action.text, isRight }, behaviour: calls.join("\n") };
}

interface Answered {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly isRead: boolean;
  readonly answer: { readonly error: boolean; readonly content: string };
}

/** The decisions of one task: one after the reads, and one after each write of its solution. */
function* decide(
  reader: Procedure,
  task: SolvedTask,
  options: TrialOptions,
): Generator<WriteDecision> {
  const { manifest, read } = options;
  const episode = usualEpisode(task, options);
  if (episode === undefined) return;
  const writes = learnableCalls(episode, manifest)
    .filter(({ name }) => manifest.tools[name] === "write")
    .map(({ name, ...call }): RecordedWrite => ({ tool: name, arguments: call.arguments }));
  const answer = options.answerer(task);
  const looked = lookUp(reader, task, options, answer);
  // A task with missing answers would teach what a complete run does not find.
  if (looked === undefined) return;
  const { answered } = looked;
  let { site } = looked;
  for (let i = 0; i <= writes.length; i++) {
    const state = new RunState(task.given, read);
    for (const one of answered) state.answered({ ...one, text: one.tool }, one.answer);
    const left = writes.slice(i);
    yield {
      task,
      site,
      state,
      features: featuresOf(state, reader),
      left,
      isHandedOn: wasHandedOn(episode, manifest),
    };
    const next = left[0];
    const got = next === undefined ? undefined : answer(next.tool, next.arguments);
    if (next === undefined || got === undefined || got.error) return;
    answered.push({ tool: next.tool, arguments: next.arguments, isRead: false, answer: got });
    site = next.tool;
  }
}

/** Makes the reader's calls for a task; undefined when a recorded answer is missing. */
function lookUp(
  reader: Procedure,
  task: SolvedTask,
  { read }: TrialOptions,
  answer: TrialAnswerer,
): { answered: Answered[]; site: string } | undefined {
  const run = new ProcedureRun(reader, { ...task.given, read });
  const answered: Answered[] = [];
  let event: RunEvent = { kind: "begin" };
  for (;;) {
    const effect = run.step(event);
    if (effect.kind === "end") return { answered, site: run.place.site };
    const got = answer(effect.call.tool, effect.call.arguments);
    if (got === undefined) return undefined;
    answered.push({ ...effect.call, answer: got });
    event = { kind: "answered", ...got };
  }
}

/** The first session with the most common set of writes. */
function usualEpisode(
  { episodes }: SolvedTask,
  { manifest }: TrialOptions,
): SolvedTask["episodes"][number] | undefined {
  const text = (episode: SolvedTask["episodes"][number]) =>
    learnableCalls(episode, manifest).filter(({ name: tool }) => manifest.tools[tool] === "write")
      .map((call) => `${call.name} ${sortedText(call.arguments)}`).sort().join("\n");
  const counts = new Map<string, number>();
  for (const episode of episodes) counts.set(text(episode), (counts.get(text(episode)) ?? 0) + 1);
  const usual = [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
  return episodes.find((episode) => text(episode) === usual);
}
