/**
 * What a decision could depend on, as named features: each is there or not, and
 * the flow's weights say what it is worth.
 *
 * @module
 */

import type { Candidate } from "../binding/bind.ts";
import { type Hits, hits } from "../binding/described.ts";
import type { Cues } from "../flow.ts";
import type { FlowState, Output } from "../state/flow_state.ts";

/** What every option of one decision shares. */
export interface Scene {
  /** Features of the session. */
  readonly shared: readonly string[];
  readonly site: string;
  /** What results hold of the customer's words, by the tool left out; filled when asked for. */
  readonly readHits: Map<string, Hits>;
}

/**
 * The features that every option of a decision shares.
 *
 * @param state The session so far.
 * @param site The site's name.
 * @param cues Which words count.
 * @returns The scene.
 */
export function sceneOf(state: FlowState, site: string, cues: Cues): Scene {
  const shared = [
    `site:${site}`,
    `writes:${upTo(state.writes, 2)}`,
    `users:${upTo(state.userMessages, 4)}`,
  ];
  for (const word of cues.words) if (state.words.hasWord(word)) shared.push(`word:${word}`);
  const seen = new Set<string>();
  let lookups = 0;
  for (const output of state.outputs) {
    seen.add(output.tool);
    if (output.isLookup) lookups++;
  }
  for (const tool of seen) shared.push(`seen:${tool}`);
  shared.push(
    `says:${upTo(state.says, 4)}`,
    `talk:${upTo(Math.floor(Math.log2(1 + state.words.count / 16)), 4)}`,
    `parallel:${upTo(state.parallelTurns, 1)}`,
    `own:${upTo(state.outputs.length - lookups, 4)}`,
  );
  const last = state.outputs.at(-1);
  if (last !== undefined) {
    const { shallow, deep, values } = hits(last, state.words);
    shared.push(
      `hits:${upTo(shallow, 2)}`,
      `deep hits:${upTo(deep, 2)}`,
      `value hits:${upTo(values, 3)}`,
    );
    shared.push(...resultCues(last, cues));
  }
  return { shared, site, readHits: new Map() };
}

/**
 * What the reach of a tool could depend on.
 *
 * @param scene What all options share.
 * @param tool The lookup.
 * @param found Its candidates.
 * @param state The session so far.
 * @returns Names of features.
 */
export function reachCues(
  scene: Scene,
  tool: string,
  found: readonly Candidate[],
  state: FlowState,
): string[] {
  const best = found[0];
  const names = ["bias", `made:${upTo(state.madeOf(tool), 4)}`, `left:${upTo(found.length, 4)}`];
  names.push(...scene.shared);
  if (best !== undefined) {
    const kind = best.isNamed ? "named" : best.isDescribed ? "described" : "plain";
    names.push(`best:${kind}`, `best:${kind}:${scene.site}`);
    names.push(...listCues(best, state, scene));
  }
  return names;
}

/**
 * What the chance of a candidate could depend on.
 *
 * @param scene What all options share.
 * @param candidate The candidate.
 * @param rank Its position among the lookup's candidates.
 * @param state The session so far.
 * @returns Names of features.
 */
export function choiceCues(
  scene: Scene,
  candidate: Candidate,
  rank: number,
  state: FlowState,
): string[] {
  const names = [
    "bias",
    `rank:${upTo(rank, 3)}`,
    `users:${upTo(state.userMessages, 4)}`,
    `site:${scene.site}`,
  ];
  names.push(candidate.isNamed ? "named" : "unnamed");
  if (candidate.isDescribed) names.push("described");
  names.push(...listCues(candidate, state, scene));
  const { list, index } = candidate;
  if (list === undefined) return names;
  names.push(`source:${list.source}`, `index:${upTo(index, 3)}`, `age:${upTo(list.age, 3)}`);
  if (index === list.size - 1) names.push("last");
  for (const value of Object.values(candidate.arguments)) {
    if (typeof value === "string" && state.lastWords.mentions(value)) names.push("just named");
  }
  return names;
}

/** What the last result says in the fields that count. */
function resultCues({ tool, result }: Output, cues: Cues): string[] {
  const names: string[] = [];
  for (const [path, values] of cues.fields.get(tool) ?? []) {
    const text = result.leaves.get(path)?.[0]?.text;
    if (text === undefined || !values.includes(text)) continue;
    names.push(`result:${path}=${text}`);
  }
  return names;
}

function listCues(
  { list, isNamed, isDescribed }: Candidate,
  state: FlowState,
  scene: Scene,
): string[] {
  if (list === undefined) return [];
  const others = list.named - (isNamed ? 1 : 0);
  const described = list.described - (isDescribed ? 1 : 0);
  const left = list.size - list.made;
  const names = [
    `list:made ${upTo(list.made, 3)}`,
    `list:left ${upTo(left, 4)}`,
    `list:made ${upTo(list.made, 3)} left ${upTo(left, 3)}`,
  ];
  if (others > 0) names.push(`list:named other`, `list:named other ${isNamed ? "too" : "only"}`);
  if (described > 0) {
    names.push(`list:described other`, `list:described other ${isDescribed ? "too" : "only"}`);
  }
  if (list.made > 0) {
    const { shallow, deep, values } = readHits(list.output.tool, state, scene);
    names.push(`list:read value hits ${upTo(values, 3)}`);
    names.push(`list:read hits ${upTo(shallow, 3)}`, `list:read deep hits ${upTo(deep, 3)}`);
    names.push(`list:read hits ${upTo(shallow, 3)} left ${upTo(left, 2)}`);
  }
  return names;
}

/** What the results of other tools than the list's hold of the customer's words, all together. */
function readHits(tool: string, state: FlowState, scene: Scene): Hits {
  const known = scene.readHits.get(tool);
  if (known !== undefined) return known;
  let shallow = 0;
  let deep = 0;
  let values = 0;
  for (const output of state.outputs) {
    if (output.tool === tool) continue;
    const found = hits(output, state.words);
    shallow += found.shallow;
    deep = Math.max(deep, found.deep);
    values = Math.max(values, found.values);
  }
  const all = { shallow, deep, values };
  scene.readHits.set(tool, all);
  return all;
}

function upTo(n: number, most: number): string {
  return n >= most ? `${most}+` : String(n);
}
