/**
 * What a decision could depend on, as named features: each is there or not, and
 * the flow's weights say what it is worth.
 *
 * @module
 */

import type { Candidate } from "./bind.ts";
import { hits, type Hits } from "./described.ts";
import type { Cues } from "./flow.ts";
import type { SessionState } from "./session_state.ts";

/** What every option of one decision shares. */
export interface Scene {
  /** Features of the session. */
  readonly shared: readonly string[];
  readonly site: string;
}

/**
 * The features that every option of a decision shares.
 *
 * @param state The session so far.
 * @param site The site's name.
 * @param cues Which words count.
 * @returns The scene.
 */
export function sceneOf(state: SessionState, site: string, cues: Cues): Scene {
  const shared = [`site:${site}`, `writes:${upTo(state.writes, 2)}`, `users:${upTo(state.userMessages, 4)}`];
  for (const word of cues.words) if (state.words.hasWord(word)) shared.push(`word:${word}`);
  const seen = new Set<string>();
  let lookups = 0;
  for (const output of state.outputs) {
    seen.add(output.tool);
    if (output.isLookup) lookups++;
  }
  for (const tool of seen) shared.push(`seen:${tool}`);
  shared.push(`parallel:${upTo(state.parallelTurns, 1)}`, `own:${upTo(state.outputs.length - lookups, 4)}`);
  const last = state.outputs.at(-1);
  if (last !== undefined) {
    const { shallow, deep } = hits(last, state.words);
    shared.push(`hits:${upTo(shallow, 2)}`, `deep hits:${upTo(deep, 2)}`);
  }
  return { shared, site };
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
  state: SessionState,
): string[] {
  const best = found[0];
  const names = ["bias", `made:${upTo(state.madeOf(tool), 4)}`, `left:${upTo(found.length, 4)}`];
  names.push(...scene.shared);
  if (best !== undefined) {
    const kind = best.isNamed ? "named" : best.isDescribed ? "described" : "plain";
    names.push(`best:${kind}`, `best:${kind}:${scene.site}`);
    names.push(...listCues(best, state, "list"));
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
 * @param cues Which fields count.
 * @returns Names of features.
 */
export function choiceCues(
  scene: Scene,
  candidate: Candidate,
  rank: number,
  state: SessionState,
  cues: Cues,
): string[] {
  const names = ["bias", `rank:${upTo(rank, 3)}`, `users:${upTo(state.userMessages, 4)}`, `site:${scene.site}`];
  names.push(candidate.isNamed ? "named" : "unnamed");
  if (candidate.isDescribed) names.push("described");
  names.push(...listCues(candidate, state, "list"));
  const { list, record, index } = candidate;
  if (list === undefined) return names;
  names.push(`source:${list.source}`, `index:${upTo(index, 3)}`, `age:${upTo(list.age, 3)}`);
  if (index === list.size - 1) names.push("last");
  for (const value of Object.values(candidate.arguments)) {
    if (typeof value === "string" && state.lastWords.mentions(value)) names.push("just named");
  }
  for (const field of cues.fields) {
    const leaf = record?.fields.get(field.slice(field.indexOf(" ") + 1));
    if (leaf !== undefined && field.startsWith(`${list.output.tool} `)) {
      names.push(`field:${field}=${leaf.text}`);
    }
  }
  return names;
}

function listCues({ list, isNamed, isDescribed }: Candidate, state: SessionState, at: string): string[] {
  if (list === undefined) return [];
  const others = list.named - (isNamed ? 1 : 0);
  const described = list.described - (isDescribed ? 1 : 0);
  const left = list.size - list.made;
  const names = [
    `${at}:made ${upTo(list.made, 3)}`,
    `${at}:left ${upTo(left, 4)}`,
    `${at}:made ${upTo(list.made, 3)} left ${upTo(left, 3)}`,
  ];
  if (others > 0) names.push(`${at}:named other`, `${at}:named other ${isNamed ? "too" : "only"}`);
  if (described > 0) names.push(`${at}:described other`, `${at}:described other ${isDescribed ? "too" : "only"}`);
  if (list.made > 0) {
    const { shallow, deep } = readHits(list.output.tool, state);
    names.push(`${at}:read hits ${upTo(shallow, 3)}`, `${at}:read deep hits ${upTo(deep, 3)}`);
    names.push(`${at}:read hits ${upTo(shallow, 3)} left ${upTo(left, 2)}`);
  }
  return names;
}

/** What the results of other tools than the list's hold of the customer's words, all together. */
function readHits(tool: string, state: SessionState): Hits {
  let shallow = 0;
  let deep = 0;
  for (const output of state.outputs) {
    if (output.tool === tool) continue;
    const found = hits(output, state.words);
    shallow += found.shallow;
    deep = Math.max(deep, found.deep);
  }
  return { shallow, deep };
}

function upTo(n: number, most: number): string {
  return n >= most ? `${most}+` : String(n);
}
