/**
 * Many replayed episodes in a few numbers, with intervals over tasks.
 *
 * @module
 */

import type { EpisodeReplay, ReplayLookup } from "./replay_episode.ts";

/** Numbers of one site, or of all. */
export interface SiteNumbers {
  decisions: number;
  lookups: number;
  used: number;
  sameTurn: number;
  detours: number;
  served: number;
}

/** An estimate and its 95 % interval. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** One bin of the calibration table. */
export interface CalibrationBin {
  readonly from: number;
  readonly decisions: number;
  readonly mean: number;
  readonly happened: number;
}

interface EpisodeNumbers {
  readonly taskId: string;
  readonly turns: number;
  readonly bound: number;
  readonly saved: number;
  readonly detours: number;
}

/** Resamples; the interval's ends move in the third digit with fewer. */
const RESAMPLES = 1000;
/** Width of a bin of the curve, in points a hundred. */
const BINS = 10;

/** Adds replays up; keeps numbers, not episodes. */
export class ReplaySummary {
  readonly all: SiteNumbers = emptyNumbers();
  readonly sites = new Map<string, SiteNumbers>();
  /** Site and tool: what was looked up there. */
  readonly lookups = new Map<string, Map<string, SiteNumbers>>();
  readonly reasons = new Map<string, number>();
  readonly handBacks = new Map<string, number>();
  unanswered = 0;
  readonly #episodes: EpisodeNumbers[] = [];
  readonly #bins = Array.from({ length: BINS }, () => ({ n: 0, sum: 0, happened: 0 }));

  /** Adds an episode and the turns a perfect flow saves in it. */
  add(replay: EpisodeReplay, bound: number): void {
    const { episode, saved, lookups, decisions } = replay;
    this.unanswered += replay.unanswered;
    for (const { decision, q, happened } of decisions) {
      this.all.decisions++;
      at(this.sites, decision.site, emptyNumbers).decisions++;
      if (decision.action.kind === "hand_back") {
        const reason = decision.action.reason.replace(/[\d.]+/g, "P");
        this.handBacks.set(reason, (this.handBacks.get(reason) ?? 0) + 1);
      }
      const bin = q === undefined
        ? undefined
        : this.#bins[Math.min(BINS - 1, Math.floor(q * BINS))];
      if (bin === undefined || q === undefined) continue;
      bin.n++;
      bin.sum += q;
      if (happened) bin.happened++;
    }
    for (const lookup of lookups) this.#count(lookup);
    const detours = lookups.filter((l) => l.fate === "detour").length;
    this.#episodes.push({ taskId: episode.task_id, turns: episode.turns, bound, saved, detours });
  }

  /** Episodes added. */
  get episodes(): number {
    return this.#episodes.length;
  }

  /** Distinct tasks. */
  get tasks(): number {
    return new Set(this.#episodes.map((e) => e.taskId)).size;
  }

  /** A sum over episodes. */
  total(what: "turns" | "bound" | "saved" | "detours"): number {
    return this.#episodes.reduce((n, e) => n + e[what], 0);
  }

  /** Turns saved, as a share of the LLM turns. */
  savedShare(): Interval {
    return this.#ratio((e) => e.saved, (e) => e.turns);
  }

  /** The full bound, as a share of the LLM turns. */
  boundShare(): Interval {
    return this.#ratio((e) => e.bound, (e) => e.turns);
  }

  /** Turns saved, as a share of the full bound. */
  shareOfBound(): Interval {
    return this.#ratio((e) => e.saved, (e) => e.bound);
  }

  /** Detours an episode. */
  detoursAnEpisode(): Interval {
    return this.#ratio((e) => e.detours, () => 1);
  }

  /** The calibration table. */
  calibration(): CalibrationBin[] {
    return this.#bins.map(({ n, sum, happened }, i) => ({
      from: i / BINS,
      decisions: n,
      mean: n === 0 ? 0 : sum / n,
      happened: n === 0 ? 0 : happened / n,
    }));
  }

  /** Mean distance between what was said and what happened, by decisions. */
  calibrationError(): number {
    const n = this.#bins.reduce((sum, bin) => sum + bin.n, 0);
    if (n === 0) return 0;
    return this.#bins.reduce((sum, bin) => sum + Math.abs(bin.sum - bin.happened), 0) / n;
  }

  #count(lookup: ReplayLookup): void {
    const site = at(this.sites, lookup.site, emptyNumbers);
    const tool = at(at(this.lookups, lookup.site, () => new Map()), lookup.tool, emptyNumbers);
    for (const numbers of [this.all, site, tool]) {
      numbers.lookups++;
      if (lookup.fate === "used") numbers.used++;
      else if (lookup.fate === "same turn") numbers.sameTurn++;
      else if (lookup.fate === "served") numbers.served++;
      else numbers.detours++;
    }
    if (lookup.fate !== "detour") return;
    const reason = lookup.reason ?? "the agent did not make the call";
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
  }

  /** A ratio of sums with a percentile interval, tasks drawn with a fixed seed. */
  #ratio(top: (e: EpisodeNumbers) => number, bottom: (e: EpisodeNumbers) => number): Interval {
    const byTask = new Map<string, [number, number]>();
    for (const e of this.#episodes) {
      const sums = at(byTask, e.taskId, (): [number, number] => [0, 0]);
      sums[0] += top(e);
      sums[1] += bottom(e);
    }
    const tasks = [...byTask.values()];
    const of = (list: readonly (readonly [number, number])[]) => {
      const below = list.reduce((n, [, b]) => n + b, 0);
      return below === 0 ? 0 : list.reduce((n, [a]) => n + a, 0) / below;
    };
    const draw = seeded(7);
    const values = Array.from(
      { length: tasks.length < 2 ? 0 : RESAMPLES },
      () => of(tasks.map(() => tasks[Math.floor(draw() * tasks.length)] ?? [0, 0])),
    );
    values.sort((a, b) => a - b);
    const value = of(tasks);
    const end = (share: number) => values[Math.floor(share * values.length)] ?? value;
    return { value, low: end(0.025), high: end(0.975) };
  }
}

/** Numbers that are all 0. */
export function emptyNumbers(): SiteNumbers {
  return { decisions: 0, lookups: 0, used: 0, sameTurn: 0, detours: 0, served: 0 };
}

function at<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** A generator of numbers from 0 to 1 that a seed decides (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
