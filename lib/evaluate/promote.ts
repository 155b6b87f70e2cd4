/**
 * Which sites of a flow have shown that their lookups are used.
 *
 * A site is promoted when enough of its lookups were used, with a Wilson bound
 * above the bar, in enough tasks. Chains run through every site first, then only
 * through the promoted ones, until the set stays the same.
 *
 * @module
 */

import { FlowDecider } from "../flow/deciding/decider.ts";
import type { Decider } from "../flow/deciding/option.ts";
import { NO_ANSWER } from "../flow/walking/run_flow.ts";
import type { KnownAnswers } from "../oracle/oracle.ts";
import type { Flow, PromotedSite, Promotion } from "../flow/flow.ts";
import type { Episode } from "../trace/episode.ts";
import { replayEpisode, type ReplaySetting } from "../replay/replay_episode.ts";
import { wilsonLower } from "./wilson.ts";

/** Rounds after which the sites promoted in every round are taken. */
const MAX_ROUNDS = 10;

/** Options for {@linkcode promote}. */
export interface PromoteOptions extends Omit<ReplaySetting, "decider"> {
  readonly bar: Promotion["bar"];
  readonly decider?: Decider;
  /** What the oracle is known to say, for the arbiter. */
  readonly answers?: KnownAnswers | undefined;
}

/** A promotion, and how many decisions it leaves out. */
export interface Promoted {
  readonly promoted: Promotion;
  /** Decisions in the first round whose oracle's answer is not known. */
  readonly unanswered: number;
}

/** Recorded sessions that can be walked again. */
export interface PromoteSource {
  each(): AsyncIterable<Episode>;
}

/**
 * Promotes the sites of a flow.
 *
 * @param flow The flow; an earlier promotion is forgotten.
 * @param source The sessions to promote on.
 * @param options The bar, and how the flow will be served.
 * @returns The promotion. Sites that made no decision are not in it.
 */
export async function promote(
  flow: Flow,
  source: PromoteSource,
  options: PromoteOptions,
): Promise<Promoted> {
  const first = await score({ ...flow, promoted: undefined }, source, options);
  const { unanswered } = first;
  let promotion = first.promoted;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { promoted: next } = await score({ ...flow, promoted: promotion }, source, options);
    // A site whose runs stopped being reached keeps the numbers it was judged by.
    const sites = Object.fromEntries(
      Object.entries(promotion.sites).map(([site, before]): [string, PromotedSite] => {
        const now = next.sites[site];
        if (!before.promoted || now === undefined || now.lookups === 0) return [site, before];
        return [site, now];
      }),
    );
    const isSame = Object.entries(sites).every(([site, s]) =>
      promotion.sites[site]?.promoted === s.promoted
    );
    promotion = { ...promotion, sites };
    if (isSame) break;
  }
  return { promoted: promotion, unanswered };
}

async function score(
  flow: Flow,
  source: PromoteSource,
  options: PromoteOptions,
): Promise<Promoted> {
  const { bar, decider, answers, ...setting } = options;
  const flowDecider = new FlowDecider(flow, decider, answers);
  let unanswered = 0;
  const counts = new Map<
    string,
    { decisions: number; lookups: number; used: number; served: number; tasks: Set<string> }
  >();
  for await (const episode of source.each()) {
    const done = replayEpisode(episode, { ...setting, decider: flowDecider });
    for (const { decision } of done.decisions) {
      if (decision.action.kind === "hand_back" && decision.options.length === 0) {
        if (decision.action.reason === NO_ANSWER) unanswered++;
        continue;
      }
      siteOf(counts, decision.site).decisions++;
    }
    for (const lookup of done.lookups) {
      const site = siteOf(counts, lookup.site);
      site.lookups++;
      site.tasks.add(episode.task_id);
      // The agent's own call in the turn under way says neither good nor bad, as a served one does.
      if (lookup.fate === "used") site.used++;
      else if (lookup.fate === "served" || lookup.fate === "same turn") site.served++;
    }
  }
  const sites = [...counts].sort(([a], [b]) => a < b ? -1 : 1).map(
    ([site, n]): [string, PromotedSite] => {
      const judged = n.lookups - n.served;
      const lower = wilsonLower(n.used, judged);
      const promoted = judged > 0 && n.used / judged >= bar.min_used && lower >= bar.min_lower &&
        n.tasks.size >= bar.min_tasks;
      const { decisions, lookups, used, served } = n;
      return [site, { decisions, lookups, used, served, tasks: n.tasks.size, lower, promoted }];
    },
  );
  return { promoted: { bar, sites: Object.fromEntries(sites) }, unanswered };
}

function siteOf<
  T extends {
    decisions: number;
    lookups: number;
    used: number;
    served: number;
    tasks: Set<string>;
  },
>(
  counts: Map<
    string,
    T | { decisions: number; lookups: number; used: number; served: number; tasks: Set<string> }
  >,
  site: string,
) {
  const known = counts.get(site) ??
    { decisions: 0, lookups: 0, used: 0, served: 0, tasks: new Set<string>() };
  counts.set(site, known);
  return known;
}

/** The report of a promotion, as Markdown. */
export function promotionMarkdown(
  { promoted: { bar, sites }, unanswered }: Promoted,
  domain: string,
): string {
  const all = Object.values(sites);
  const hasServed = all.some((s) => s.served > 0);
  const cells = (name: string, s: Omit<PromotedSite, "lower" | "tasks" | "promoted">) => {
    const judged = s.lookups - s.served;
    const share = judged === 0 ? "-" : (s.used / judged).toFixed(2);
    const served = hasServed ? [s.served] : [];
    return [name, s.decisions, s.lookups, s.used, ...served, share];
  };
  const line = (list: readonly unknown[]) => `| ${list.join(" | ")} |`;
  const sum = (key: "decisions" | "lookups" | "used" | "served") =>
    all.reduce((n, s) => n + s[key], 0);
  const total = {
    decisions: sum("decisions"),
    lookups: sum("lookups"),
    used: sum("used"),
    served: sum("served"),
  };
  const head = ["site", "decisions", "lookups", "used", ...(hasServed ? ["served"] : []), "share"];
  const n = all.filter((s) => s.promoted).length;
  return [
    `# Promotion of the ${domain} flow`,
    "",
    `${
      n === 0 ? "No site is" : n === 1 ? "1 site is" : `${n} sites are`
    } promoted. The bar: at least ` +
    `${bar.min_used} of lookups used, Wilson 90 % lower bound at least ${bar.min_lower}, from at least ` +
    `${bar.min_tasks} tasks, at threshold ${bar.threshold}.` +
    (unanswered === 0 ? "" : ` ${unanswered} decisions without an oracle's answer are left out.`),
    ...(all.length === 0 ? [] : [
      "",
      line([...head, "lower bound", "tasks", ""]).replace("|  |", "| |"),
      `|${"---|".repeat(head.length + 3)}`,
      ...Object.entries(sites).map(([site, s]) =>
        line([
          ...cells(site, s),
          s.lower.toFixed(3),
          s.tasks,
          s.promoted ? "promoted" : why(s, bar),
        ])
      ),
      line([...cells("all", total), "", "", ""]).replaceAll("|  |", "| |").replaceAll(
        "|  |",
        "| |",
      ),
    ]),
  ].join("\n");
}

function why(s: PromotedSite, bar: Promotion["bar"]): string {
  const judged = s.lookups - s.served;
  if (judged === 0) return "no lookups to judge";
  if (s.used / judged < bar.min_used) return "too few are used";
  if (s.lower < bar.min_lower) return "too few lookups to be sure";
  return "too few tasks";
}
