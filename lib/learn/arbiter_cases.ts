/**
 * The decisions that an arbiter is fitted on: at each answered call of an episode,
 * what a flow learned without the episode's fold of tasks would have offered, what it
 * would have asked, and what the agent did next.
 *
 * @module
 */

import type { Arbiter } from "../flow/arbiter_file.ts";
import { FlowDecider } from "../flow/deciding/decider.ts";
import { siteName } from "../flow/flow.ts";
import { type FlowQuestion, flowQuestion } from "../flow/deciding/flow_question.ts";
import type { FlowState } from "../flow/state/flow_state.ts";
import { FOLDS, taskFold } from "../flow/task_fold.ts";
import { walk } from "../replay/walk.ts";
import type { Episode, EpisodeCall } from "../trace/episode.ts";
import type { Manifest } from "../trace/manifest.ts";
import { type EpisodeSource, only } from "./episode_source.ts";
import { learnFlow, type LearnOptions } from "./learn_flow.ts";

/** A held-out decision. */
export interface ArbiterCase {
  readonly fold: number;
  readonly task: string;
  readonly episode: string;
  readonly site: string;
  readonly tool: string;
  readonly habit: readonly number[];
  readonly question: FlowQuestion;
  /** Index of the agent's step among the lookups and handing back; undefined when it is none. */
  readonly taken: number | undefined;
}

/** Options for {@linkcode arbiterCases}. */
export interface CaseOptions extends LearnOptions {
  readonly asking: Pick<Arbiter, "model" | "predicates">;
  /** Told before each fold. */
  readonly onFold?: (fold: number) => void;
}

/**
 * Collects the held-out decisions of all episodes.
 *
 * @param source The training episodes.
 * @param options As for learning, and what is asked.
 * @returns The decisions at which a lookup could be made, fold by fold.
 */
export async function arbiterCases(
  source: EpisodeSource,
  options: CaseOptions,
): Promise<ArbiterCase[]> {
  const cases: ArbiterCase[] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    options.onFold?.(fold);
    // The arbiter sees the habit and what binds, and no weights.
    const rest = only(source, (episode) => taskFold(episode.task_id) !== fold);
    const flow = await learnFlow(rest, { ...options, rounds: 0 });
    const collector = new Collector(new FlowDecider(flow, "habit"), options, fold);
    for await (const episode of only(source, (c) => taskFold(c.task_id) === fold).each()) {
      cases.push(...collector.casesOf(episode));
    }
  }
  return cases;
}

class Collector {
  readonly #decider: FlowDecider;
  readonly #options: CaseOptions;
  readonly #fold: number;

  constructor(decider: FlowDecider, options: CaseOptions, fold: number) {
    this.#decider = decider;
    this.#options = options;
    this.#fold = fold;
  }

  casesOf(episode: Episode): ArbiterCase[] {
    const { manifest, read } = this.#options;
    const cases: ArbiterCase[] = [];
    let waiting: EpisodeCall[] = [];
    walk(episode, manifest, read, {
      onAnswer: (call, state, at) => {
        if (call.by === "agent") waiting.push(call);
        const event = episode.events[at];
        if (event?.kind !== "tool_result" || !event.isLast) return;
        const step = nextStep(episode, at);
        if (step !== undefined) {
          cases.push(
            ...waiting.flatMap((returned) => this.#caseAt(returned, step, { episode, state })),
          );
        }
        waiting = [];
      },
    });
    return cases;
  }

  #caseAt(
    call: EpisodeCall,
    step: NextStep,
    { episode, state }: { readonly episode: Episode; readonly state: FlowState },
  ): ArbiterCase[] {
    const { manifest, asking } = this.#options;
    const failed = call.answer?.error ?? false;
    const site = { tool: call.name, failed, steps: state.stepsTo(call.id) };
    const options = this.#decider.options(site, state).filter((o) => o.best !== undefined);
    if (options.length === 0) return [];
    const lookups = options.map((option) => option.tool);
    const question = flowQuestion(lookups, state.transcript, {
      ...asking,
      manifest,
      feeds: this.#decider.flow.feeds,
    });
    if (question === undefined) return [];
    return [{
      fold: this.#fold,
      task: episode.task_id,
      episode: episode.id,
      site: siteName(call.name, failed),
      tool: call.name,
      habit: options.map((option) => option.habit),
      question,
      taken: takenOf(lookups, step, manifest),
    }];
  }
}

/** The tools of the agent's next turn; none for a message. */
type NextStep = readonly string[];

/** What the agent does after an event; undefined when the recording ends there. */
function nextStep(episode: Episode, at: number): NextStep | undefined {
  for (const event of episode.events.slice(at + 1)) {
    if (event.kind !== "assistant") continue;
    if (event.calls.length === 0) return [];
    const tools = event.calls.filter((call) => call.by === "agent").map((call) => call.name);
    if (tools.length > 0) return tools;
  }
  return undefined;
}

/** A message or a call that is no lookup hands back; a lookup that is not offered is no option. */
function takenOf(
  lookups: readonly string[],
  step: NextStep,
  manifest: Manifest,
): number | undefined {
  const offered = step.map((tool) => lookups.indexOf(tool)).find((i) => i >= 0);
  if (offered !== undefined) return offered;
  return step.some((tool) => manifest.tools[tool] === "read") ? undefined : lookups.length;
}
