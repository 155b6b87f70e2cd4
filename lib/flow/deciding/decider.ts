/**
 * How likely each lookup is to be the agent's, and with which arguments.
 *
 * A decision's options are the lookups that ever followed at its site and that
 * bind now. Each has the tool's probability (reach or habit, shifted by the
 * flow's weights) and the chance of its best binding; the product is compared
 * with the threshold.
 *
 * @module
 */

import type { KnownAnswers } from "../../oracle/oracle.ts";
import { arbitrate } from "./arbitrate.ts";
import { chanceAfter, keyOf, smoothed } from "../backoff.ts";
import { bindingCandidates, type Candidate } from "../binding/bind.ts";
import { bindingsByName } from "../binding/bind_by_name.ts";
import { historyOf } from "../state/code_features.ts";
import { choiceCues, reachCues, type Scene, sceneOf } from "./cues.ts";
import type { Hits } from "../binding/described.ts";
import {
  type Bindings,
  type Cues,
  type Flow,
  LEAST_MARGIN,
  lookupsAt,
  type Rate,
  siteName,
} from "../flow.ts";
import type { Choice, Decider, Option, Site } from "./option.ts";
import { RunChances } from "./run_chances.ts";
import type { FlowState } from "../state/flow_state.ts";

/** A longer list is a catalogue. */
const CATALOGUE = 12;

/** Candidates of one lookup that are looked at; more are never the likely one. */
const MAX_CANDIDATES = 8;

/** What the weights made of an option, for learning them. */
export interface OptionFacts {
  readonly tool: string;
  readonly p0: number;
  readonly reach: readonly string[];
  readonly choices: readonly {
    readonly key: string;
    readonly b0: number;
    readonly cues: readonly string[];
  }[];
}

const NO_CUES: Cues = {
  words: [],
  fields: new Map(),
  reach: new Map(),
  choice: new Map(),
  choiceMargin: LEAST_MARGIN,
};

/** Decides by one flow. */
export class FlowDecider {
  /** How likely the values of its program are. */
  readonly chances: RunChances;
  /** Called with the features of each option, when learning asks for them. */
  onFacts: ((facts: readonly OptionFacts[]) => void) | undefined;

  /** Makes the decider. */
  constructor(
    readonly flow: Flow,
    readonly decider: Decider = flow.reach ? "reach" : "habit",
    readonly answers: KnownAnswers | undefined = undefined,
  ) {
    this.chances = new RunChances(flow);
  }

  /**
   * The options of a decision.
   *
   * @param site Where.
   * @param state The session so far.
   * @returns Every lookup that the flow offers here, by name.
   */
  options(site: Site, state: FlowState): Option[] {
    const { flow } = this;
    const name = siteName(site.tool, site.failed);
    const followers = lookupsAt(flow, name);
    if (followers.size === 0) return [];
    const history = historyOf(site.steps, flow, flow.habit.base.order);
    const cues = flow.cues ?? NO_CUES;
    const isWeighed = flow.cues !== undefined || this.onFacts !== undefined;
    const scene = isWeighed
      ? sceneOf(state, name, cues)
      : { shared: [], site: name, readHits: new Map<string, Hits>() };
    const facts: OptionFacts[] = [];
    const options = [...followers.keys()].map((tool) => {
      const found = bindingCandidates(bindingsOf(flow, tool, state), tool, state).slice(
        0,
        MAX_CANDIDATES,
      );
      const habit = habitAfter(flow, history, tool);
      const p0 = this.decider !== "reach" || flow.reach === undefined
        ? habit
        : Math.min(1, chanceAfter(flow.reach, history, flow.vocab.actionOf(tool)));
      if (found.length === 0) return { tool, p: p0, habit, best: undefined };
      const shifts = this.#shifts(tool, found, scene, state, isWeighed);
      const best = shifts.choices.reduce((a, b) => b.chance > a.chance ? b : a);
      if (this.onFacts !== undefined) {
        facts.push({ tool, p0, reach: shifts.reach, choices: shifts.facts });
      }
      return { tool, p: shifted(p0, flow.cues?.reach.get(tool), shifts.reach), habit, best };
    });
    this.onFacts?.(facts);
    return options;
  }

  /**
   * The options as the decider judges them: only the arbiter has more to say, and
   * only where an oracle's answer is known.
   *
   * @param options What {@linkcode options} gave there.
   * @param site Where.
   * @param state The session so far.
   * @returns The options; undefined when the answer is not known.
   */
  judged(
    options: readonly Option[],
    site: Site,
    state: FlowState,
  ): readonly Option[] | undefined {
    return this.decider === "arbiter"
      ? arbitrate(this.flow, this.answers, { options, site, state })
      : options;
  }

  #shifts(
    tool: string,
    found: readonly Candidate[],
    scene: Scene,
    state: FlowState,
    isWeighed: boolean,
  ) {
    const { flow } = this;
    const reach = isWeighed ? reachCues(scene, tool, found, state) : [];
    const { choice: weightsOf, choiceMargin: margin } = flow.cues ?? NO_CUES;
    const weights = weightsOf.get(tool);
    const facts: { key: string; b0: number; cues: readonly string[] }[] = [];
    const considered = isWeighed ? found : found.slice(0, 1);
    const choices = considered.map((candidate, rank): Choice => {
      const b0 = bindingChance(flow, candidate);
      const names = isWeighed ? choiceCues(scene, candidate, rank, state) : [];
      if (this.onFacts !== undefined) facts.push({ key: candidate.key, b0, cues: names });
      return { candidate, chance: shifted(b0, weights, names, margin) };
    });
    return { reach, choices: choices as [Choice, ...Choice[]], facts };
  }
}

/** What is known of a lookup's arguments: from calls of it, or where none was made by name. */
function bindingsOf(flow: Flow, tool: string, state: FlowState): Bindings {
  const contract = flow.contracts?.[tool];
  if (!flow.everyRead || contract === undefined || flow.bindings.args.has(tool)) {
    return flow.bindings;
  }
  return bindingsByName(tool, contract, state);
}

/** The habit's chance of a tool, group layer included. */
export function habitAfter(flow: Flow, history: readonly number[], tool: string): number {
  const action = flow.vocab.actionOf(tool);
  const { base, beta, top } = flow.habit;
  const p = chanceAfter(base, history, action);
  return smoothed(top.get(keyOf(history, base.order)), action, p, beta);
}

/**
 * The chance that a pick is the agent's, from counts alone.
 *
 * @param flow The flow.
 * @param candidate The pick.
 * @returns (right + 1) / (tried + 2) of picks of its kind.
 */
export function bindingChance(flow: Flow, candidate: Candidate): number {
  const { bindings } = flow;
  const { tool, list } = candidate;
  const passed = bindings.args.get(tool)?.passed.size ?? 0;
  if (passed === 0 && Object.keys(candidate.arguments).length === 0) return 1;
  const [plain, mentioned] = bindings.agreed.get(tool) ?? [[0, 0], [0, 0]];
  const isMentioned = candidate.isNamed || candidate.isDescribed;
  const left = (list?.size ?? 0) - (list?.made ?? 0);
  // From a catalogue nobody reads entry after entry, whatever a few sessions seem to say.
  if (!isMentioned && (list?.size ?? 0) > CATALOGUE) return Math.min(laplace(plain), 1 / left);
  const chance = laplace(isMentioned ? mentioned : plain);
  const named = bindings.namedOther.get(tool);
  if (named !== undefined && !candidate.isNamed && (list?.named ?? 0) > 0) {
    return (named[0] + 2 * laplace(plain)) / (named[1] + 2);
  }
  const read = bindings.describedRead.get(tool);
  if (read !== undefined && !isMentioned && (list?.described ?? 0) > 0) {
    return (read[0] + 2 * laplace(plain)) / (read[1] + 2);
  }
  return chance;
}

/** The Beta(1,1) mean of a rate. */
export function laplace([right, tried]: Rate): number {
  return (right + 1) / (tried + 2);
}

function shifted(
  p: number,
  weights: ReadonlyMap<string, number> | undefined,
  names: readonly string[],
  margin = LEAST_MARGIN,
): number {
  if (weights === undefined) return p;
  let odds = logit(p, margin);
  for (const name of names) odds += weights.get(name) ?? 0;
  return 1 / (1 + Math.exp(-odds));
}

/** Log-odds of a chance that is held so far from 0 and 1. */
export function logit(p: number, margin: number = LEAST_MARGIN): number {
  const q = Math.min(1 - margin, Math.max(margin, p));
  return Math.log(q / (1 - q));
}
