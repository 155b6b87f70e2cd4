/**
 * The first pass of learning: what was called, in which order, and where the
 * arguments came from.
 *
 * @module
 */

import type { Bindings, Rate, RecordSource } from "../../flow/flow.ts";
import { argKey, siteName } from "../../flow/flow.ts";
import type { ReadResult, Step } from "../../flow/state/flow_state.ts";
import type { Episode, EpisodeCall } from "../../trace/episode.ts";
import type { Manifest } from "../../trace/manifest.ts";
import { findRecords, findValue, isScalar, scalarArgs, sourceKey } from "./sources.ts";
import type { FoundRecord } from "./sources.ts";
import { walk } from "../../replay/walk.ts";

interface Found<T> {
  readonly source: T;
  count: number;
}

/** The records that calls of one lookup could be read off. */
interface RecordCounts {
  calls: number;
  readonly sources: Map<string, FoundRecord>;
  /** Keys of all sources of a call, a line each, to how many calls had just these. */
  readonly sets: Map<string, number>;
}

/** Counts that grow by an episode at a time. */
export class CallTally {
  episodes = 0;
  readonly agents = new Set<string>();
  readonly next = new Map<string, Map<string, number>>();
  readonly #calls = new Map<string, { calls: number; passed: Map<string, number> }>();
  readonly #values = new Map<
    string,
    { values: number; found: Map<string, Found<{ tool: string; path: string }>> }
  >();
  readonly #records = new Map<string, RecordCounts>();
  readonly #asText = new Map<string, number>();
  readonly #outcomes = new Map<string, Rate>();
  readonly #reads: ReadonlySet<string>;

  /** Starts with nothing. */
  constructor(
    readonly manifest: Manifest,
    readonly read: ReadResult,
    readonly constants: Bindings["constants"] = new Map(),
  ) {
    this.#reads = new Set(Object.keys(manifest.tools).filter((t) => manifest.tools[t] === "read"));
  }

  /** Counts an episode, what follows what with a weight; returns its steps. */
  add(episode: Episode, weight = 1): Step[] {
    this.episodes++;
    this.agents.add(episode.agent_model);
    const state = walk(episode, this.manifest, this.read, {
      onCall: (call, before) => {
        if (this.#reads.has(call.name)) this.#count(call, before.outputs);
      },
    });
    const steps = state.steps.filter((step) => step.outcome !== undefined);
    steps.forEach((step, i) => {
      if (step.tool !== undefined && this.#reads.has(step.tool)) {
        const [succeeded, calls] = this.#outcomes.get(step.tool) ?? [0, 0];
        this.#outcomes.set(step.tool, [succeeded + (step.outcome === "ok" ? 1 : 0), calls + 1]);
      }
      const lookup = steps[i + 1]?.tool;
      if (step.tool === undefined || lookup === undefined || !this.#reads.has(lookup)) return;
      const site = siteName(step.tool, step.outcome === "failed");
      const followers = this.next.get(site) ?? new Map<string, number>();
      followers.set(lookup, (followers.get(lookup) ?? 0) + weight);
      this.next.set(site, followers);
    });
    return steps;
  }

  #count(call: EpisodeCall, outputs: Parameters<typeof findValue>[0]): void {
    const { name: tool, arguments: args } = call;
    const counts = this.#calls.get(tool) ?? { calls: 0, passed: new Map<string, number>() };
    this.#calls.set(tool, counts);
    counts.calls++;
    const names = Object.keys(args).sort();
    for (const arg of names) {
      counts.passed.set(arg, (counts.passed.get(arg) ?? 0) + 1);
      const value = args[arg];
      if (!isScalar(value)) continue;
      const key = argKey(tool, arg);
      const sources = this.#values.get(key) ?? { values: 0, found: new Map() };
      this.#values.set(key, sources);
      sources.values++;
      const found = findValue(outputs, value);
      if (found === undefined) continue;
      if (found.isText) this.#asText.set(key, (this.#asText.get(key) ?? 0) + 1);
      bump(sources.found, { tool: found.tool, path: found.path });
    }
    const varying = names.filter((arg) => !this.constants.has(argKey(tool, arg)));
    const scalars = varying.length > 1 ? scalarArgs(args, varying) : undefined;
    const records = this.#records.get(tool) ?? { calls: 0, sources: new Map(), sets: new Map() };
    this.#records.set(tool, records);
    records.calls++;
    const found = scalars === undefined ? [] : findRecords(outputs, scalars);
    if (found.length === 0) return;
    const keys = found.map((source) => sourceKey(source));
    found.forEach((source, i) => records.sources.set(keys[i] ?? "", source));
    const set = keys.sort().join("\n");
    records.sets.set(set, (records.sets.get(set) ?? 0) + 1);
  }

  /** Successes and answered calls of each lookup. */
  outcomes(): Map<string, Rate> {
    return sortedMap([...this.#outcomes]);
  }

  /** What was counted, as bindings; how often picks agree is counted later. */
  bindings(agreed: ReadonlyMap<string, readonly [Rate, Rate]> = new Map()): Bindings {
    return {
      args: sortedMap(
        [...this.#calls].map(([tool, c]) => [tool, { ...c, passed: sortedMap([...c.passed]) }]),
      ),
      sources: sortedMap(
        [...this.#values].map((
          [key, s],
        ) => [key, { values: s.values, found: usual(s.found, s.values) }]),
      ),
      records: sortedMap(
        [...this.#records].map(([tool, r]) =>
          [tool, { calls: r.calls, found: covering(r) }] as const
        )
          .filter(([, r]) => r.found.length > 0),
      ),
      agreed,
      namedOther: new Map(),
      describedRead: new Map(),
      asText: new Set(
        [...this.#asText].filter(([key, n]) => n * 2 > (this.#values.get(key)?.values ?? 0)).map((
          [k],
        ) => k).sort(),
      ),
      constants: this.constants,
    };
  }
}

function bump<T extends { readonly tool: string; readonly path: string }>(
  found: Map<string, Found<T>>,
  source: T,
): void {
  const key = sourceKey(source as never);
  const known = found.get(key);
  if (known === undefined) found.set(key, { source, count: 1 });
  else known.count++;
}

/**
 * The fewest sources that cover the calls: again and again the one that most of the
 * remaining calls could be read off, as long as it adds two calls and a fiftieth of all.
 */
function covering({ calls, sources, sets }: RecordCounts): RecordSource[] {
  const found: RecordSource[] = [];
  const left = [...sets].map(([set, count]) => ({ keys: set.split("\n"), count }));
  while (true) {
    const counts = new Map<string, number>();
    for (const { keys, count } of left) {
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + count);
    }
    const [best] = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    const source = sources.get(best?.[0] ?? "");
    if (best === undefined || source === undefined) return found;
    if (best[1] < 2 || best[1] < 0.02 * calls) return found;
    found.push({ ...source, found: best[1] });
    left.splice(0, left.length, ...left.filter(({ keys }) => !keys.includes(best[0])));
  }
}

/** Sources found twice and in a fiftieth of the cases, most used first. */
function usual<T extends object>(
  found: ReadonlyMap<string, Found<T>>,
  of: number,
): (T & { found: number })[] {
  return [...found].filter(([, f]) => f.count >= 2 && f.count >= 0.02 * of)
    .sort(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1))
    .map(([, f]) => ({ ...f.source, found: f.count }));
}

/** A map in the order of its keys. */
export function sortedMap<T>(entries: readonly (readonly [string, T])[]): Map<string, T> {
  return new Map([...entries].sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0));
}
