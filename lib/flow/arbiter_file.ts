/**
 * The arbiter's part of a flow file, and its shape in memory.
 *
 * @module
 */

import { z } from "zod";
import { FOLDS } from "./task_fold.ts";

/** Which options a yes speaks for. */
export type Favors = "same_lookup" | "any_lookup" | "hand_back" | { readonly lookup: string };

/** A question of yes or no, asked at every decision. */
export interface Predicate {
  readonly id: string;
  readonly favors: Favors;
  readonly question: string;
  readonly yes: string;
  readonly no: string;
}

/** Decisions at a site; of them, those where the oracle's pick was the agent's step, and those whose step was an option. */
export type SiteRate = readonly [decisions: number, agreed: number, covered: number];

/** What one fit gave: it was made without the tasks of its fold. */
export interface ArbiterFold {
  /** Habit, choice, split, hand back, one a weighed predicate, reliability. */
  readonly weights: readonly number[];
  readonly rates: {
    readonly sites: ReadonlyMap<string, SiteRate>;
    readonly agree: number;
    readonly cover: number;
  };
}

/** The arbiter of a flow. */
export interface Arbiter {
  /** Asked. */
  readonly predicates: readonly Predicate[];
  /** Those of them that count. */
  readonly weighed: readonly Predicate[];
  /** By fold of the task. */
  readonly folds: readonly ArbiterFold[];
  /** The model asked, by the name that is part of each question's key. */
  readonly model: string;
}

/** Weights besides those of predicates. */
const FIXED_WEIGHTS = 5;

const text = z.string().min(1);
const count = z.number().min(0);
const share = z.number().min(0).max(1);

/** A predicate, as files say it. */
export const predicateSchema = z.object({
  id: z.string().regex(/^[\w-]{1,64}$/),
  favors: z.union([
    z.enum(["same_lookup", "any_lookup", "hand_back"]),
    z.object({ lookup: text }),
  ]),
  question: text,
  yes: text,
  no: text,
});

const foldSchema = z.object({
  weights: z.array(z.number()),
  rates: z.object({
    sites: z.array(z.tuple([z.string(), z.tuple([count, count, count])])),
    agree: share,
    cover: share,
  }),
});

/** The fields of a flow file that are the arbiter's: empty without one. */
export const arbiterFields = {
  predicates: z.array(predicateSchema),
  weighed: z.array(predicateSchema),
  folds: z.array(foldSchema).refine((folds) => [0, FOLDS].includes(folds.length), {
    error: `needs no entries or ${FOLDS}`,
  }),
  model: z.string(),
};

const partSchema = z.object(arbiterFields);

/** The arbiter's part of a file. */
export type ArbiterPart = z.infer<typeof partSchema>;

/** What is wrong between the fields of a part; undefined when nothing is. */
export function arbiterFault({ weighed, folds }: ArbiterPart): string | undefined {
  const wanted = FIXED_WEIGHTS + weighed.length;
  const bad = folds.findIndex((fold) => fold.weights.length !== wanted);
  return bad < 0 ? undefined : `$.folds[${bad}].weights: needs ${wanted} numbers`;
}

/** Reads the part; undefined without folds. */
export function arbiterOf({ predicates, weighed, folds, model }: ArbiterPart): Arbiter | undefined {
  if (folds.length === 0) return undefined;
  return {
    predicates,
    weighed,
    folds: folds.map(({ weights, rates }) => ({
      weights,
      rates: { ...rates, sites: new Map(rates.sites) },
    })),
    model,
  };
}

/** The part of an arbiter, or of none. */
export function arbiterPart(arbiter: Arbiter | undefined): ArbiterPart {
  if (arbiter === undefined) return { predicates: [], weighed: [], folds: [], model: "" };
  return {
    predicates: arbiter.predicates.map((p) => ({ ...p })),
    weighed: arbiter.weighed.map((p) => ({ ...p })),
    folds: arbiter.folds.map(({ weights, rates }) => ({
      weights: [...weights],
      rates: {
        sites: [...rates.sites].map(([site, [n, agreed, covered]]) => [site, [n, agreed, covered]]),
        agree: rates.agree,
        cover: rates.cover,
      },
    })),
    model: arbiter.model,
  };
}
