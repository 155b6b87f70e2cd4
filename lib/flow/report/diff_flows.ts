/**
 * What changed between two flows, and which changes a person should look at.
 *
 * What lets a flow do more needs review; what lets it do less, and moved numbers,
 * are only listed.
 *
 * @module
 */

import { arbiterPart } from "../arbiter_file.ts";
import { canonicalJson } from "../state/call_key.ts";
import { laplace } from "../deciding/decider.ts";
import type { Flow } from "../flow.ts";
import { thresholdAt } from "../walking/run_flow.ts";
import { siteRows } from "../deciding/site_rows.ts";

/** Changes between two flows. */
export interface FlowDiff {
  readonly review: readonly string[];
  readonly listed: readonly string[];
}

/** Options for {@linkcode diffFlows}. */
export interface DiffOptions {
  /**
   * Chances and shares that moved by less are not listed.
   *
   * @default {0.05}
   */
  readonly tolerance?: number;
  /** The threshold at which acting is compared; by default each flow's own. */
  readonly threshold?: number | undefined;
}

/**
 * Compares two flows.
 *
 * @param old The flow as it was.
 * @param next The flow as it is.
 * @param options What is worth listing.
 * @returns The changes.
 */
export function diffFlows(old: Flow, next: Flow, options: DiffOptions = {}): FlowDiff {
  const { tolerance = 0.05, threshold } = options;
  const review: string[] = [];
  const listed: string[] = [];
  for (const tool of next.reads) {
    if (!old.reads.includes(tool)) review.push(`${tool}: may now be called`);
  }
  for (const tool of old.reads) {
    if (!next.reads.includes(tool)) listed.push(`${tool}: may no longer be called`);
  }
  compareSites(old, next, { review, listed, tolerance });
  compareActing(old, next, { listed, tolerance, threshold });
  compareOrigins(old, next, listed);
  compareSources(old, next, { review, listed });
  for (const [key, value] of next.bindings.constants) {
    const before = old.bindings.constants.get(key);
    if (before !== value) review.push(`${key}: passes the constant ${JSON.stringify(value)}`);
  }
  for (const key of old.bindings.constants.keys()) {
    if (!next.bindings.constants.has(key)) listed.push(`${key}: no longer passes a constant`);
  }
  if (next.everyRead && !old.everyRead) review.push("every read is now offered at every site");
  if (old.everyRead && !next.everyRead) listed.push("no longer offers every read at every site");
  comparePromotion(old, next, review, listed);
  compareArbiters(old, next, review, listed);
  for (const site of new Set([...Object.keys(old.thresholds), ...Object.keys(next.thresholds)])) {
    const [a, b] = [thresholdAt(old, site), thresholdAt(next, site)];
    if (a > 1 && b <= 1) review.push(`after ${site}: switched on again`);
    else if (a !== b) listed.push(`after ${site}: threshold ${a} becomes ${b > 1 ? "off" : b}`);
  }
  if (thresholdAt(old, "") !== thresholdAt(next, "")) {
    listed.push(`threshold ${thresholdAt(old, "")} becomes ${thresholdAt(next, "")}`);
  }
  if (canonicalJson(old.program) !== canonicalJson(next.program)) review.push("another program");
  if (canonicalJson(old.contracts ?? {}) !== canonicalJson(next.contracts ?? {})) {
    listed.push("input contracts changed");
  }
  if (gateText(old) !== gateText(next)) {
    listed.push(`surprise gate: ${gateText(old)} becomes ${gateText(next)}`);
  }
  if (canonicalJson([...old.feeds]) !== canonicalJson([...next.feeds])) {
    listed.push("other hints of what results are used for");
  }
  return { review: review.sort(), listed: listed.sort() };
}

function gateText({ surprise }: Flow): string {
  if (surprise === undefined) return "none";
  return `${surprise.threshold.toFixed(3)} nats over ${surprise.window} steps`;
}

interface Into {
  readonly review: string[];
  readonly listed: string[];
  readonly tolerance: number;
}

function compareSites(old: Flow, next: Flow, { review, listed, tolerance }: Into): void {
  for (const [site, lookups] of next.next) {
    for (const lookup of lookups.keys()) {
      if (!old.next.get(site)?.has(lookup)) review.push(`after ${site}: ${lookup} is now offered`);
    }
  }
  for (const [site, lookups] of old.next) {
    for (const lookup of lookups.keys()) {
      if (!next.next.get(site)?.has(lookup)) {
        listed.push(`after ${site}: ${lookup} is no longer offered`);
      }
    }
  }
  for (const [lookup, [plain, named]] of next.bindings.agreed) {
    const before = old.bindings.agreed.get(lookup) ?? [[0, 0], [0, 0]];
    [["unmentioned", before[0], plain] as const, ["mentioned", before[1], named] as const].forEach(
      ([what, a, b]) => {
        if (Math.abs(laplace(a) - laplace(b)) < tolerance) return;
        listed.push(
          `${lookup}: an ${what} pick is right with ${laplace(b).toFixed(2)}, was ${
            laplace(a).toFixed(2)
          }`,
        );
      },
    );
  }
}

/** What each would do right after a call, from counts alone. */
function compareActing(
  old: Flow,
  next: Flow,
  { listed, tolerance, threshold }: Pick<Into, "listed" | "tolerance"> & DiffOptions,
): void {
  const rowsOf = (flow: Flow) =>
    new Map(
      siteRows(flow).map(({ site, lookup, p, binding }) => {
        const q = p * binding;
        return [`after ${site}: ${lookup}`, { q, acts: q >= thresholdAt(flow, site, threshold) }];
      }),
    );
  const before = rowsOf(old);
  for (const [name, now] of rowsOf(next)) {
    const was = before.get(name);
    if (was === undefined) continue;
    const moved = `${name} at ${now.q.toFixed(2)}, was ${was.q.toFixed(2)}`;
    if (now.acts !== was.acts) {
      listed.push(`${moved}: ${now.acts ? "looks up now" : "hands back now"}`);
    } else if (Math.abs(now.q - was.q) >= tolerance) listed.push(moved);
  }
}

/** Where the counts come from, and what goes with them. */
function compareOrigins(old: Flow, next: Flow, listed: string[]): void {
  const { provenance: a } = old;
  const { provenance: b } = next;
  if (a.habit_episodes !== b.habit_episodes) {
    listed.push(`learned from ${b.habit_episodes} sessions, was ${a.habit_episodes}`);
  }
  if (canonicalJson(a.sources) !== canonicalJson(b.sources)) {
    listed.push(`learned from ${b.sources.join(", ")}, was ${a.sources.join(", ")}`);
  }
  const features = ({ map }: Flow) => canonicalJson([map.fields, [...map.ids]]);
  if (features(old) !== features(next)) listed.push("other code features");
  if (
    old.promoted !== undefined && next.promoted !== undefined &&
    canonicalJson(old.promoted.bar) !== canonicalJson(next.promoted.bar)
  ) listed.push("promotion has another bar");
}

function compareSources(old: Flow, next: Flow, { review, listed }: Omit<Into, "tolerance">): void {
  const sources = (flow: Flow) => [
    ...[...flow.bindings.sources].flatMap(([key, s]) =>
      s.found.map((f) => `${key} from ${f.tool} at ${f.path}`)
    ),
    ...[...flow.bindings.records].flatMap(([lookup, r]) =>
      r.found.map((f) =>
        `${lookup} from a record of ${f.tool} at ${f.path} ${canonicalJson(f.fields)}`
      )
    ),
  ];
  const [before, after] = [new Set(sources(old)), new Set(sources(next))];
  for (const source of after) if (!before.has(source)) review.push(`new source: ${source}`);
  for (const source of before) if (!after.has(source)) listed.push(`source gone: ${source}`);
}

function comparePromotion(old: Flow, next: Flow, review: string[], listed: string[]): void {
  if (old.promoted !== undefined && next.promoted === undefined) {
    review.push("promotion is lifted: every site may act");
  }
  if (old.promoted === undefined && next.promoted !== undefined) {
    const acting = Object.entries(next.promoted.sites).filter(([, s]) => s.promoted);
    const sites = acting.map(([site]) => site).sort().join(", ");
    listed.push(`promoted: lookups are made only after ${sites || "no site"}`);
  }
  for (const [site, s] of Object.entries(next.promoted?.sites ?? {})) {
    const was = old.promoted === undefined
      ? undefined
      : old.promoted.sites[site]?.promoted ?? false;
    if (s.promoted && was === false) review.push(`after ${site}: newly promoted`);
    if (!s.promoted && was !== false) listed.push(`after ${site}: no longer acts`);
  }
}

/** The report, without a final newline. */
export function diffMarkdown({ review, listed }: FlowDiff): string {
  const list = (lines: readonly string[]) =>
    lines.length === 0 ? ["Nothing."] : lines.map((line) => `- ${line}`);
  return [
    "# Changes of the flow",
    "",
    "## To review",
    "",
    ...list(review),
    "",
    "## Listed only",
    "",
    ...list(listed),
  ].join("\n");
}

/** What is asked is what leaves the machine; how answers are weighed is numbers. */
function compareArbiters(
  { arbiter: old }: Flow,
  { arbiter: next }: Flow,
  review: string[],
  listed: string[],
): void {
  if (next === undefined) {
    if (old !== undefined) listed.push("no longer has an arbiter");
    return;
  }
  if (old === undefined) return void review.push(`may now ask an oracle, ${next.model}`);
  if (old.model !== next.model) review.push(`asks ${next.model} instead of ${old.model}`);
  if (canonicalJson(old.predicates) !== canonicalJson(next.predicates)) {
    review.push("asks other predicates");
  }
  if (canonicalJson(arbiterPart(old).folds) !== canonicalJson(arbiterPart(next).folds)) {
    listed.push("the arbiter's weights changed");
  }
}
