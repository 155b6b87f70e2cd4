/**
 * What new sessions say about a committed flow and the one staged to follow it.
 *
 * @module
 */

import { z } from "zod";
import type { FlowDecider } from "../flow/deciding/decider.ts";
import type { Episode } from "../trace/episode.ts";
import { replayEpisode, type ReplaySetting } from "../replay/replay_episode.ts";
import { wilsonLower, wilsonUpper } from "./wilson.ts";

/** Sessions the ledger remembers. */
const MAX_LEDGER = 1000;

const numbers = z.object({
  decisions: z.number(),
  lookups: z.number(),
  used: z.number(),
  served: z.number(),
});
const side = z.object({ sites: z.record(z.string(), numbers), unanswered: z.number() });
const stageSchema = z.object({
  hoist_stage: z.literal(1),
  domain: z.string(),
  sessions: z.array(z.string()),
  ledger: z.array(
    z.object({ session: z.string(), committed: side.optional(), staged: side.optional() }),
  ),
  last: z.unknown(),
});

/** Numbers of one site. */
export type StageNumbers = z.infer<typeof numbers>;
/** What one session scored under one flow. */
export type Side = z.infer<typeof side>;
/** The stage file. */
export type StageFile = z.infer<typeof stageSchema>;

/** Reads a stage file; throws with the file and the path in it when it is none. */
export function readStage(text: string, path: string): StageFile {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new SyntaxError(`Cannot read "${path}": it is not JSON`);
  }
  const parsed = stageSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new SyntaxError(`Cannot read "${path}": $.${issue?.path.join(".")}: ${issue?.message}`);
}

/** A session under a flow. */
export function scoreSide(
  decider: FlowDecider,
  episode: Episode,
  setting: Omit<ReplaySetting, "decider">,
): Side {
  const done = replayEpisode(episode, { ...setting, decider });
  const sites: Record<string, StageNumbers> = {};
  const at = (site: string) => sites[site] ??= { decisions: 0, lookups: 0, used: 0, served: 0 };
  for (const { decision } of done.decisions) at(decision.site).decisions++;
  for (const { site, fate } of done.lookups) {
    const n = at(site);
    n.lookups++;
    if (fate === "used") n.used++;
    if (fate === "served" || fate === "same turn") n.served++;
  }
  return { sites, unanswered: done.unanswered };
}

/** Adds scored sessions to a ledger, the oldest dropping out. */
export function grownLedger(
  ledger: StageFile["ledger"],
  scored: StageFile["ledger"],
): StageFile["ledger"] {
  return [...ledger, ...scored].slice(-MAX_LEDGER);
}

/** Both flows on the last sessions that both were scored on. */
export interface Comparison {
  readonly compared: number;
  readonly sites: Readonly<
    Record<string, { readonly committed: StageNumbers; readonly staged: StageNumbers }>
  >;
  readonly total: { readonly committed: StageNumbers; readonly staged: StageNumbers };
}

/** Adds the ledger's last entries up. */
export function compareSides(ledger: StageFile["ledger"], window: number): Comparison {
  const both = ledger.flatMap(({ committed, staged }) =>
    committed === undefined || staged === undefined ? [] : [{ committed, staged }]
  ).slice(-window);
  const names = [
    ...new Set(
      both.flatMap((e) => [...Object.keys(e.committed.sites), ...Object.keys(e.staged.sites)]),
    ),
  ].sort();
  const of = (which: "committed" | "staged", site?: string) =>
    both.reduce((sum, entry) => {
      for (const [name, n] of Object.entries(entry[which].sites)) {
        if (site !== undefined && name !== site) continue;
        sum.decisions += n.decisions;
        sum.lookups += n.lookups;
        sum.used += n.used;
        sum.served += n.served;
      }
      return sum;
    }, { decisions: 0, lookups: 0, used: 0, served: 0 });
  return {
    compared: both.length,
    sites: Object.fromEntries(
      names.map((s) => [s, { committed: of("committed", s), staged: of("staged", s) }]),
    ),
    total: { committed: of("committed"), staged: of("staged") },
  };
}

/** The report of a stage, without a final newline. */
export function stageMarkdown(
  { compared, sites, total }: Comparison,
  { domain, sessions, fresh, changes }: {
    readonly domain: string;
    readonly sessions: number;
    readonly fresh: number;
    /** Undefined where no flow is committed yet. */
    readonly changes: readonly string[] | undefined;
  },
): string {
  const cells = (n: StageNumbers) => {
    const judged = n.lookups - n.served;
    const range = judged === 0
      ? "-"
      : `${wilsonLower(n.used, judged).toFixed(2)} to ${wilsonUpper(n.used, judged).toFixed(2)}`;
    return `${n.lookups} | ${n.used} | ${range} | ${judged - n.used}`;
  };
  const row = (name: string, both: { committed: StageNumbers; staged: StageNumbers }) =>
    `| ${name} | ${cells(both.committed)} | ${cells(both.staged)} |`;
  return [
    `# The staged ${domain} flow`,
    "",
    `Learned from ${sessions} sessions, ${fresh} of them new. Both flows are compared on the last ${compared} sessions ` +
    "that both were scored on before they were learned from; intervals are Wilson, 90 %.",
    ...(compared === 0 ? [] : [
      "",
      "| after | committed: lookups | used | share | detours | staged: lookups | used | share | detours |",
      "|---|---|---|---|---|---|---|---|---|",
      row("all", total),
      ...Object.entries(sites).map(([name, both]) => row(name, both)),
    ]),
    "",
    "## What committing would change",
    "",
    ...(changes === undefined
      ? ["No flow is committed yet: this would be the first."]
      : changes.length === 0
      ? ["Nothing."]
      : changes.map((c) => `- ${c}`)),
  ].join("\n");
}
