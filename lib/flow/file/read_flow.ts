/**
 * A flow file's text into a flow. The version is looked at before anything else.
 *
 * @module
 */

import { at } from "../../json/json.ts";
import { arbiterFault, arbiterOf } from "../arbiter_file.ts";
import type { Backoff, Counts } from "../backoff.ts";
import { keyOf } from "../backoff.ts";
import { combinationKey } from "../state/code_features.ts";
import {
  argKey,
  type Bindings,
  type Flow,
  LEAST_MARGIN,
  type RecordSource,
  siteName,
  type SurpriseBar,
  type Weights,
} from "../flow.ts";
import { type FlowFile, flowSchema } from "./flow_schema.ts";
import { FlowSyntaxError } from "./flow_syntax_error.ts";
import { STANDARD_PROGRAM } from "../program/standard_program.ts";
import { Vocabulary } from "../symbols.ts";

/** The version this build reads and writes. */
export const FLOW_VERSION = 3;

/**
 * Reads a flow.
 *
 * @param text The file's text.
 * @param path Its name, for messages.
 * @returns The flow.
 * @throws {FlowSyntaxError} When it is of another version or shape; names the path in the file.
 */
export function readFlow(text: string, path: string): Flow {
  return flowOf(readFlowFile(text, path));
}

/** {@linkcode readFlow}, but as the file says it. */
export function readFlowFile(text: string, path: string): FlowFile {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new FlowSyntaxError(`Cannot read "${path}": it is not JSON`, { cause: error });
  }
  const version = at(json, "hoist_flow");
  if (version === undefined) throw new FlowSyntaxError(`Cannot read "${path}": it is no flow`);
  if (version !== FLOW_VERSION) {
    throw new FlowSyntaxError(
      `Cannot read "${path}": it is of version ${JSON.stringify(version)}, this program reads ` +
        `version ${FLOW_VERSION}; relearn it from its sessions`,
    );
  }
  const parsed = flowSchema.safeParse(json);
  if (parsed.success) {
    const fault = arbiterFault(parsed.data);
    if (fault === undefined) return parsed.data;
    throw new FlowSyntaxError(`Cannot read "${path}": ${fault}`);
  }
  const issue = parsed.error.issues[0];
  const where = issue?.path.map((p) => typeof p === "number" ? `[${p}]` : `.${String(p)}`).join("");
  throw new FlowSyntaxError(
    `Cannot read "${path}": $${where ?? ""}: ${issue?.message ?? "is wrong"}`,
  );
}

/** A checked file as a flow. */
export function flowOf(file: FlowFile): Flow {
  const { sites, cues, manifest } = file;
  return {
    provenance: file.provenance,
    vocab: new Vocabulary(file.vocab.flatMap((v) => v === "Respond" ? [] : [v.Tool])),
    manifest: {
      domain: manifest.domain,
      tools: manifest.tools,
      ...(manifest.docs === undefined ? {} : { docs: manifest.docs }),
    },
    map: {
      fields: file.map.fields,
      ids: new Map(file.map.ids.map(([[tool, values], id]) => [combinationKey(tool, values), id])),
    },
    habit: {
      base: backoffOf(file.habit.base),
      beta: file.habit.beta,
      top: new Map(
        file.habit.top.map(([[, history], c]) => [keyOf(history, history.length), countsOf(c)]),
      ),
    },
    reach: file.reach === undefined ? undefined : backoffOf(file.reach),
    reads: sites.reads,
    next: new Map(
      sites.next.map(([[tool, failed], n]) => [siteName(tool, failed), new Map(Object.entries(n))]),
    ),
    everyRead: sites.every_read ?? false,
    feeds: new Map(
      Object.entries(sites.feeds).map(([lookup, list]) => [
        lookup,
        list.map(([[write, arg], count]) => ({ write, arg, count })),
      ]),
    ),
    outcomes: sites.outcomes === undefined ? undefined : new Map(Object.entries(sites.outcomes)),
    bindings: bindingsOf(file.bindings),
    program: file.hoist_program ?? STANDARD_PROGRAM,
    cues: cues === undefined ? undefined : {
      words: cues.words,
      fields: new Map(Object.entries(cues.fields)),
      reach: weightsOf(cues.reach),
      choice: weightsOf(cues.choice),
      choiceMargin: cues.choice_margin ?? LEAST_MARGIN,
    },
    arbiter: arbiterOf(file),
    threshold: file.threshold,
    thresholds: file.thresholds ?? {},
    promoted: file.promoted,
    contracts: file.contracts,
    surprise: surpriseOf(file.surprise),
  };
}

function surpriseOf(file: FlowFile["surprise"]): SurpriseBar | undefined {
  if (file === undefined) return undefined;
  const { window, threshold, quantile } = file;
  return { window, threshold, ...(quantile === undefined ? {} : { quantile }) };
}

function countsOf({ by_action, total }: { by_action: [number, number][]; total: number }): Counts {
  return { by_action: new Map(by_action), total };
}

function backoffOf(file: FlowFile["habit"]["base"]): Backoff {
  return {
    order: file.order,
    alpha: file.alpha,
    vocab_size: file.vocab_size,
    levels: file.levels.map((level) =>
      new Map(level.map(([history, c]) => [keyOf(history, history.length), countsOf(c)]))
    ),
  };
}

function bindingsOf(file: FlowFile["bindings"]): Bindings {
  const records = new Map<string, { calls: number; found: RecordSource[] }>();
  for (const [lookup, { source, fields, values, found }] of file.records ?? []) {
    const known = records.get(lookup) ?? { calls: values, found: [] };
    known.found.push({ tool: source[0], path: source[1], fields, found });
    records.set(lookup, known);
  }
  return {
    args: new Map(
      Object.entries(file.args).map(([tool, [calls, passed]]) => [
        tool,
        { calls, passed: new Map(Object.entries(passed)) },
      ]),
    ),
    sources: new Map(file.sources.map(([[lookup, arg], { values, found }]) => [
      argKey(lookup, arg),
      { values, found: found.map(([[tool, path], n]) => ({ tool, path, found: n })) },
    ])),
    records,
    agreed: new Map(Object.entries(file.agreed)),
    namedOther: new Map(Object.entries(file.named_other ?? {})),
    describedRead: new Map(Object.entries(file.described_read ?? {})),
    asText: new Set((file.as_text ?? []).map(([lookup, arg]) => argKey(lookup, arg))),
    constants: new Map(
      (file.constants ?? []).map(([[lookup, arg], v]) => [argKey(lookup, arg), v]),
    ),
  };
}

function weightsOf(file: Record<string, [string, number][]>): Weights {
  return new Map(Object.entries(file).map(([tool, list]) => [tool, new Map(list)]));
}
