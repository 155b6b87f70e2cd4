/**
 * A flow in memory: what learning counted, in the form that deciding asks it.
 *
 * `read_flow.ts` reads it, `print_flow.ts` writes it. A flow holds statistics, never a
 * customer's values.
 *
 * @module
 */

import type { Manifest } from "../trace/manifest.ts";
import type { Arbiter } from "./arbiter_file.ts";
import type { Backoff, Counts } from "./backoff.ts";
import type { Program } from "./program/program.ts";
import type { Vocabulary } from "./symbols.ts";

/** A code feature: a scalar of a result, or the length of a list in it. */
export type FeatureField = { readonly Scalar: string } | { readonly Len: string };

/** Code features: which fields, and the combinations seen. */
export interface FeatureMap {
  readonly fields: Readonly<Record<string, readonly FeatureField[]>>;
  /** `callKey`-like text of tool and values to number. */
  readonly ids: ReadonlyMap<string, number>;
}

/** Where a lookup's single argument comes from. */
export interface ValueSource {
  readonly tool: string;
  readonly path: string;
  readonly found: number;
}

/** Where all arguments of a lookup come from together. */
export interface RecordSource {
  readonly tool: string;
  /** The record. */
  readonly path: string;
  /** Argument to field. */
  readonly fields: Readonly<Record<string, string>>;
  readonly found: number;
}

/** Right of tried. */
export type Rate = readonly [right: number, tried: number];

/** How lookups are given their arguments. */
export interface Bindings {
  /** Lookup to its calls, and how many of them passed each argument. */
  readonly args: ReadonlyMap<string, { calls: number; passed: ReadonlyMap<string, number> }>;
  /** By lookup and argument, `JSON.stringify([lookup, arg])`. */
  readonly sources: ReadonlyMap<string, { values: number; found: readonly ValueSource[] }>;
  readonly records: ReadonlyMap<string, { calls: number; found: readonly RecordSource[] }>;
  /** How often the pick was the agent's: no value mentioned, and one mentioned. */
  readonly agreed: ReadonlyMap<string, readonly [unmentioned: Rate, mentioned: Rate]>;
  readonly namedOther: ReadonlyMap<string, Rate>;
  readonly describedRead: ReadonlyMap<string, Rate>;
  /** Arguments the agents pass as text where the source holds a number: `[lookup, arg]`. */
  readonly asText: ReadonlySet<string>;
  readonly constants: ReadonlyMap<string, string | number | boolean>;
}

/** What shifts a chance, feature by feature, in log-odds. */
export type Weights = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Chances nearer to 0 or 1 are no surer, and their log-odds have to be finite. */
export const LEAST_MARGIN = 0.001;

/** The weights that learning fitted on its own decisions. */
export interface Cues {
  /** Words of customers that count as features. */
  readonly words: readonly string[];
  /** Tool to the fields of its results that count as features, each with the values that do. */
  readonly fields: ReadonlyMap<
    string,
    readonly (readonly [path: string, values: readonly string[]])[]
  >;
  /** Lookup to what shifts its reach. */
  readonly reach: Weights;
  /** Lookup to what shifts the chance of a binding. */
  readonly choice: Weights;
  /** How far from 0 and 1 the counted chance of a binding is held before weights shift it. */
  readonly choiceMargin: number;
}

/** Numbers of one site, as promotion saw it. */
export interface PromotedSite {
  readonly decisions: number;
  readonly lookups: number;
  readonly used: number;
  readonly served: number;
  readonly tasks: number;
  readonly lower: number;
  readonly promoted: boolean;
}

/** Which sites may act. */
export interface Promotion {
  readonly bar: {
    readonly threshold: number;
    readonly min_used: number;
    readonly min_lower: number;
    readonly min_tasks: number;
  };
  readonly sites: Readonly<Record<string, PromotedSite>>;
}

/** When a session surprises a flow too much to act in it. */
export interface SurpriseBar {
  /** Steps of the agent's that are looked at together. */
  readonly window: number;
  /** The most that their mean may be, in nats a step. */
  readonly threshold: number;
  /** The share of the training sessions that stayed below; absent where a person set the threshold. */
  readonly quantile?: number;
}

/** An argument of a write, and how often results of a lookup gave it. */
export interface Feed {
  readonly write: string;
  readonly arg: string;
  readonly count: number;
}

/** Where a flow comes from. */
export interface Provenance {
  readonly hoist: string;
  readonly sources: readonly string[];
  readonly habit_episodes: number;
  readonly arbiter_cases: number;
  readonly compiled_unix_ms: number;
}

/** The habit: back-off counts and the group layer over the longest histories. */
export interface Habit {
  readonly base: Backoff;
  readonly beta: number;
  readonly top: ReadonlyMap<string, Counts>;
}

/** A flow. */
export interface Flow {
  readonly provenance: Provenance;
  readonly vocab: Vocabulary;
  readonly manifest: Manifest;
  readonly map: FeatureMap;
  readonly habit: Habit;
  readonly reach: Backoff | undefined;
  /** Read tools, sorted. */
  readonly reads: readonly string[];
  /** Site to the lookups that followed there, by name. */
  readonly next: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Whether every read is offered at every site, also where none followed. */
  readonly everyRead: boolean;
  /** Lookup to the writes that its results fed, most often first; empty where nobody asked. */
  readonly feeds: ReadonlyMap<string, readonly Feed[]>;
  /** Successes and answered calls of each lookup; undefined in a flow that did not count them. */
  readonly outcomes: ReadonlyMap<string, Rate> | undefined;
  readonly bindings: Bindings;
  /** The order of a run. */
  readonly program: Program;
  readonly cues: Cues | undefined;
  /** What weighs an oracle's answers; undefined when none was asked. */
  readonly arbiter: Arbiter | undefined;
  readonly threshold: number | undefined;
  readonly thresholds: Readonly<Record<string, number>>;
  readonly promoted: Promotion | undefined;
  readonly contracts: Readonly<Record<string, string>> | undefined;
  /** Undefined without a gate. */
  readonly surprise: SurpriseBar | undefined;
}

/** The threshold where nothing says otherwise. */
export const DEFAULT_THRESHOLD = 0.3;

/** The name of a site: the tool that just returned, marked when it failed. */
export function siteName(tool: string, failed: boolean): string {
  return failed ? `${tool} (error)` : tool;
}

const NONE: ReadonlyMap<string, number> = new Map();

/**
 * The lookups a flow offers at a site.
 *
 * @param flow The flow.
 * @param site The site's name.
 * @returns Lookup, by name, to how often it followed there.
 */
export function lookupsAt(
  { next, reads, everyRead }: Pick<Flow, "next" | "reads" | "everyRead">,
  site: string,
): ReadonlyMap<string, number> {
  const followed = next.get(site) ?? NONE;
  return everyRead ? new Map(reads.map((tool) => [tool, followed.get(tool) ?? 0])) : followed;
}

/** The key of a lookup's argument. */
export function argKey(lookup: string, arg: string): string {
  return JSON.stringify([lookup, arg]);
}

/** Arguments passed in at least nine of ten calls of a lookup, sorted. */
export function requiredArgs(bindings: Bindings, lookup: string): string[] {
  const counts = bindings.args.get(lookup);
  if (counts === undefined) return [];
  return [...counts.passed].filter(([, n]) => n >= 0.9 * counts.calls).map(([arg]) => arg).sort();
}
