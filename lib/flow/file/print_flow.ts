/**
 * A flow as the text of its file: one line, the same bytes for the same flow.
 *
 * @module
 */

import { arbiterPart } from "../arbiter_file.ts";
import type { Backoff, Counts } from "../backoff.ts";
import type { Bindings, Flow, Weights } from "../flow.ts";
import type { FlowFile } from "./flow_schema.ts";

/**
 * Prints a flow.
 *
 * @param flow The flow.
 * @returns The file's text, with its final newline.
 */
export function printFlow(flow: Flow): string {
  return JSON.stringify(fileOf(flow)) + "\n";
}

/** A flow as its file says it. */
export function fileOf(flow: Flow): FlowFile {
  const arbiter = arbiterPart(flow.arbiter);
  return {
    hoist_flow: 3,
    provenance: { ...flow.provenance, sources: [...flow.provenance.sources] },
    vocab: ["Respond", ...flow.vocab.tools.map((Tool) => ({ Tool }))],
    manifest: flow.manifest as FlowFile["manifest"],
    map: {
      fields: flow.map.fields as FlowFile["map"]["fields"],
      ids: [...flow.map.ids].map(([key, id]) => [JSON.parse(key), id]),
    },
    group: 1,
    habit: {
      base: backoffFile(flow.habit.base),
      beta: flow.habit.beta,
      top: byHistory(flow.habit.top).map(([history, c]) => [[1, history], countsFile(c)]),
    },
    ...(flow.reach === undefined ? {} : { reach: backoffFile(flow.reach) }),
    sites: {
      reads: [...flow.reads],
      next: [...flow.next].map(([site, n]) => [siteKey(site), Object.fromEntries(n)]),
      feeds: Object.fromEntries(
        [...flow.feeds].map(([lookup, list]) => [
          lookup,
          list.map(({ write, arg, count }): [[string, string], number] => [[write, arg], count]),
        ]),
      ),
      ...(flow.everyRead ? { every_read: true } : {}),
      ...(flow.outcomes === undefined ? {} : { outcomes: ratesFile(flow.outcomes) }),
    },
    predicates: arbiter.predicates,
    weighed: arbiter.weighed,
    folds: arbiter.folds,
    bindings: bindingsFile(flow.bindings),
    model: arbiter.model,
    hoist_program: flow.program,
    ...(flow.cues === undefined ? {} : {
      cues: {
        words: [...flow.cues.words],
        fields: Object.fromEntries(
          [...flow.cues.fields].map((
            [tool, list],
          ) => [tool, list.map(([path, values]) => [path, [...values]])]),
        ),
        reach: weightsFile(flow.cues.reach),
        choice: weightsFile(flow.cues.choice),
        choice_margin: flow.cues.choiceMargin,
      },
    }),
    ...(flow.threshold === undefined ? {} : { threshold: flow.threshold }),
    ...(Object.keys(flow.thresholds).length === 0 ? {} : { thresholds: flow.thresholds }),
    ...(flow.promoted === undefined ? {} : { promoted: flow.promoted }),
    ...(flow.contracts === undefined ? {} : { contracts: flow.contracts }),
    ...(flow.surprise === undefined ? {} : { surprise: flow.surprise }),
  };
}

/** A site's name taken apart. */
export function siteKey(site: string): [string, boolean] {
  return site.endsWith(" (error)") ? [site.slice(0, -8), true] : [site, false];
}

function byHistory(map: ReadonlyMap<string, Counts>): [number[], Counts][] {
  return [...map].map((
    [key, c],
  ): [number[], Counts] => [key === "" ? [] : key.split(",").map(Number), c])
    .sort(([a], [b]) => {
      const at = a.findIndex((n, i) => n !== b[i]);
      return (a[at] ?? 0) - (b[at] ?? 0);
    });
}

function countsFile(
  { by_action, total }: Counts,
): { by_action: [number, number][]; total: number } {
  return { by_action: [...by_action].sort(([a], [b]) => a - b), total };
}

function backoffFile(b: Backoff): FlowFile["habit"]["base"] {
  return {
    order: b.order,
    alpha: b.alpha,
    vocab_size: b.vocab_size,
    levels: b.levels.map((level) =>
      byHistory(level).map(([history, c]) => [history, countsFile(c)])
    ),
  };
}

function bindingsFile(b: Bindings): FlowFile["bindings"] {
  const records = [...b.records].flatMap(([lookup, { calls, found }]) =>
    found.map((
      r,
    ): [
      string,
      { source: [string, string]; fields: Record<string, string>; values: number; found: number },
    ] => [
      lookup,
      { source: [r.tool, r.path], fields: { ...r.fields }, values: calls, found: r.found },
    ])
  );
  return {
    args: Object.fromEntries(
      [...b.args].map(([tool, c]) => [tool, [c.calls, Object.fromEntries(c.passed)]]),
    ),
    sources: [...b.sources].map(([key, s]) => [
      JSON.parse(key),
      { values: s.values, found: s.found.map((f) => [[f.tool, f.path], f.found]) },
    ]),
    ...(records.length === 0 ? {} : { records }),
    agreed: Object.fromEntries(
      [...b.agreed].map(([tool, [plain, named]]) => [tool, [[...plain], [...named]]]),
    ),
    ...(b.namedOther.size === 0 ? {} : { named_other: ratesFile(b.namedOther) }),
    ...(b.describedRead.size === 0 ? {} : { described_read: ratesFile(b.describedRead) }),
    ...(b.asText.size === 0 ? {} : { as_text: [...b.asText].sort().map((key) => JSON.parse(key)) }),
    ...(b.constants.size === 0
      ? {}
      : { constants: [...b.constants].map(([key, v]) => [JSON.parse(key), v]) }),
  };
}

function ratesFile(rates: Bindings["namedOther"]): Record<string, [number, number]> {
  return Object.fromEntries([...rates].map(([tool, [a, b]]) => [tool, [a, b]]));
}

function weightsFile(weights: Weights): Record<string, [string, number][]> {
  return Object.fromEntries([...weights].map(([tool, list]) => [tool, [...list]]));
}
