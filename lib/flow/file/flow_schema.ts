/**
 * The shape of a flow file, version 3.
 *
 * @module
 */

import { z } from "zod";
import { arbiterFields } from "../arbiter_file.ts";
import type { Program } from "../program/program.ts";
import { checkProgram } from "../program/program_check.ts";

const count = z.number().min(0);
const share = z.number().min(0).max(1);
const counts = z.object({
  by_action: z.array(z.tuple([z.int().min(0), count])),
  total: count,
});
const level = z.array(z.tuple([z.array(z.int().min(0)), counts]));
const backoff = z.object({
  order: z.int().min(0).max(4),
  alpha: z.number().positive(),
  vocab_size: z.int().min(1),
  levels: z.array(level),
}).refine((b) => b.levels.length === b.order + 1, { error: "needs one level more than its order" });
const rate = z.tuple([count, count]);
const source = z.tuple([z.string(), z.string()]);
const weights = z.record(z.string(), z.array(z.tuple([z.string(), z.number()])));

const bindings = z.object({
  args: z.record(z.string(), z.tuple([count, z.record(z.string(), count)])),
  sources: z.array(z.tuple([
    source,
    z.object({ values: count, found: z.array(z.tuple([source, count])) }),
  ])),
  records: z.array(z.tuple([
    z.string(),
    z.object({ source, fields: z.record(z.string(), z.string()), values: count, found: count }),
  ])).optional(),
  agreed: z.record(z.string(), z.tuple([rate, rate])),
  named_other: z.record(z.string(), rate).optional(),
  described_read: z.record(z.string(), rate).optional(),
  as_text: z.array(source).optional(),
  constants: z.array(z.tuple([source, z.union([z.string(), z.number(), z.boolean()])])).optional(),
});

const promotedSite = z.object({
  decisions: count,
  lookups: count,
  used: count,
  served: count,
  tasks: count,
  lower: share,
  promoted: z.boolean(),
});

const program = z.unknown().transform((json, context): Program => {
  const checked = checkProgram(json);
  if ("program" in checked) return checked.program;
  const { path, message } = checked.fault;
  context.addIssue({ code: "custom", path: [...path], message, input: json });
  return z.NEVER;
});

/** The schema; unknown keys are ignored. */
export const flowSchema = z.object({
  hoist_flow: z.literal(3),
  provenance: z.object({
    hoist: z.string(),
    sources: z.array(z.string()),
    habit_episodes: count,
    arbiter_cases: count,
    compiled_unix_ms: z.int().min(0),
  }),
  vocab: z.tuple([z.literal("Respond")], z.object({ Tool: z.string() })),
  manifest: z.object({
    domain: z.string(),
    tools: z.record(z.string(), z.enum(["read", "write", "generic"])),
    docs: z.record(
      z.string(),
      z.object({ summary: z.string(), args: z.record(z.string(), z.string()) }),
    ).optional(),
  }),
  map: z.object({
    fields: z.record(
      z.string(),
      z.array(
        z.union([z.strictObject({ Scalar: z.string() }), z.strictObject({ Len: z.string() })]),
      ),
    ),
    ids: z.array(z.tuple([z.tuple([z.string(), z.array(z.string())]), z.int().min(1).max(63)])),
  }),
  group: z.literal(1),
  habit: z.object({
    base: backoff,
    beta: z.number().positive(),
    top: z.array(z.tuple([z.tuple([z.literal(1), z.array(z.int().min(0))]), counts])),
  }),
  reach: backoff.optional(),
  sites: z.object({
    reads: z.array(z.string()),
    next: z.array(z.tuple([z.tuple([z.string(), z.boolean()]), z.record(z.string(), count)])),
    feeds: z.record(z.string(), z.array(z.tuple([source, count]))),
    every_read: z.literal(true).optional(),
    outcomes: z.record(z.string(), rate).optional(),
  }),
  ...arbiterFields,
  bindings,
  hoist_program: program.optional(),
  cues: z.object({
    words: z.array(z.string()),
    fields: z.record(z.string(), z.array(z.tuple([z.string(), z.array(z.string())]))),
    reach: weights,
    choice: weights,
    choice_margin: z.number().min(0.001).max(0.5).optional(),
  }).optional(),
  threshold: share.optional(),
  thresholds: z.record(z.string(), z.number().min(0)).optional(),
  promoted: z.object({
    bar: z.object({ threshold: share, min_used: share, min_lower: share, min_tasks: count }),
    sites: z.record(z.string(), promotedSite),
  }).optional(),
  contracts: z.record(z.string(), z.string()).optional(),
  surprise: z.object({
    window: z.int().min(1),
    threshold: z.number(),
    quantile: share.optional(),
  }).optional(),
});

/** A flow file, checked. */
export type FlowFile = z.infer<typeof flowSchema>;
