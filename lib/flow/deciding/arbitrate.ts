/**
 * A decision's options as the arbiter judges them.
 *
 * @module
 */

import type { KnownAnswers } from "../../oracle/oracle.ts";
import { lookupChances } from "./arbiter.ts";
import type { Option, Site } from "./option.ts";
import { type Flow, siteName } from "../flow.ts";
import { flowQuestion, judgementOf } from "./flow_question.ts";
import type { FlowState } from "../state/flow_state.ts";
import { taskFold } from "../task_fold.ts";

/** A decision and its place. */
export interface Deciding {
  readonly options: readonly Option[];
  readonly site: Site;
  readonly state: FlowState;
}

/**
 * Gives the options the arbiter's probabilities.
 *
 * @param flow The flow; one without an arbiter never has an answer.
 * @param answers What the oracle is known to say.
 * @param deciding The options, where, and the session so far.
 * @returns The options; those that do not bind keep what they had. Undefined without an answer.
 */
export function arbitrate(
  flow: Flow,
  answers: KnownAnswers | undefined,
  { options, site, state }: Deciding,
): readonly Option[] | undefined {
  const { arbiter, manifest, feeds } = flow;
  const binding = options.filter((option) => option.best !== undefined);
  if (binding.length === 0) return options; // Nothing can be looked up, so nothing is asked.
  const fold = arbiter?.folds[taskFold(state.task)];
  if (arbiter === undefined || fold === undefined) return undefined;
  const question = flowQuestion(binding.map((o) => o.tool), state.transcript, {
    ...arbiter,
    manifest,
    feeds,
  });
  const response = question && answers?.find(question.request);
  if (question === undefined || response === undefined) return undefined;
  const name = siteName(site.tool, site.failed);
  const habit = binding.map((option) => option.habit);
  const judgement = judgementOf(question, response, { site: name, tool: site.tool, habit });
  const chances = lookupChances(arbiter, fold, judgement);
  const p = new Map(binding.map((option, i) => [option.tool, chances[i] ?? 0]));
  return options.map((option) => ({ ...option, p: p.get(option.tool) ?? option.p }));
}
