/**
 * Learns the reads of each site: those that agents made there, as actions with
 * references, the most common first.
 *
 * Reads are harmless, so a procedure makes all of them before it decides.
 *
 * @module
 */

import { siteOf, START_SITE } from "../procedure/procedure.ts";
import { RunState } from "../procedure/run/run_state.ts";
import { learnableCalls, type SolvedTask } from "./solved_task.ts";
import { ActionTemplates, MIN_TASKS } from "./action_templates.ts";
import type { TrialOptions } from "./trial.ts";

/** Actions with the number of tasks that they were seen in, the most common first. */
export type RankedActions = readonly (readonly [text: string, tasks: number])[];

/** The smallest share of a site's tasks that have a read; a rarer read is a detour. */
const MIN_SHARE = 0.1;

/** The most sessions used per task; more make the same reads. */
const MAX_SESSIONS = 3;

/**
 * Learns the reads of each site.
 *
 * @param tasks The tasks, and the sessions that solved them.
 * @param options The tools, and the parser of results.
 * @returns The reads by site.
 */
export function learnReads(
  tasks: readonly SolvedTask[],
  options: Pick<TrialOptions, "manifest" | "read">,
): Map<string, RankedActions> {
  const templates = new ActionTemplates();
  const steps = tasks.flatMap((task) => [...readsOf(task, options)]);
  for (const { call, state, task } of steps) templates.seeArguments(call, state(), task);
  for (const { call, state, task } of steps) templates.seeCall(call, state(), task);
  const sites = new Map<string, { all: Set<string>; reads: Map<string, Set<string>> }>();
  for (const { call, task, site } of steps) {
    const here = sites.get(site) ?? { all: new Set(), reads: new Map() };
    sites.set(site, here);
    here.all.add(task);
    const text = templates.actionFor(call)?.text;
    if (text !== undefined) here.reads.set(text, (here.reads.get(text) ?? new Set()).add(task));
  }
  return new Map(
    [...sites].map(([site, { all, reads }]) => [
      site,
      [...reads].map(([text, seen]) => [text, seen.size] as const)
        .filter(([, n]) => n >= MIN_TASKS && n >= MIN_SHARE * all.size)
        .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)),
    ]),
  );
}

interface ReadStep {
  readonly site: string;
  readonly call: { tool: string; arguments: Readonly<Record<string, unknown>>; isWrite: false };
  readonly task: string;
  /** Rebuilds the state before the call; not kept, since it is large. */
  state(): RunState;
}

/** The reads of a task's sessions before the first write, each with its site. */
function* readsOf(
  task: SolvedTask,
  { manifest, read }: Pick<TrialOptions, "manifest" | "read">,
): Generator<ReadStep> {
  for (const episode of task.episodes.slice(0, MAX_SESSIONS)) {
    const calls = learnableCalls(episode, manifest);
    let site = START_SITE;
    for (const [i, { name: tool, arguments: args, answer }] of calls.entries()) {
      if (manifest.tools[tool] === "write") break;
      const state = () => {
        const made = new RunState(task.given, read);
        for (const before of calls.slice(0, i)) {
          made.answered({
            tool: before.name,
            arguments: before.arguments,
            isRead: true,
            text: before.name,
          }, before.answer);
        }
        return made;
      };
      yield { site, call: { tool, arguments: args, isWrite: false }, task: task.id, state };
      site = siteOf(tool, answer?.error ?? false);
    }
  }
}
