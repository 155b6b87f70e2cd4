/**
 * Whether sessions have begun to differ from the ones a flow was learned from.
 *
 * @module
 */

import type { AuditedDecision } from "./audit.ts";
import { type Belief, type ChangePointOptions, changePoints } from "./change_point.ts";

/** What one session scored. */
export interface SessionScore {
  readonly session: string;
  /** Mean −ln p of the agent's steps. */
  readonly surprise: number;
  /** Share of steps that are not the likeliest. */
  readonly disagreement: number;
  /** Share of calls of tools that training never saw. */
  readonly unknown: number;
  readonly bySite: ReadonlyMap<string, number>;
  readonly unknownTools: readonly string[];
}

/** What drift found. */
export interface Drift {
  readonly sessions: readonly SessionScore[];
  readonly beliefs: readonly Belief[];
  readonly isAlarm: boolean;
  /** The first session of the likeliest new run; undefined without an alarm. */
  readonly since: string | undefined;
  readonly before: Means;
  readonly after: Means;
  /** Sites by how much their surprise rose. */
  readonly sites: readonly {
    readonly site: string;
    readonly before: number;
    readonly after: number;
  }[];
  readonly unknownTools: readonly string[];
}

/** Mean scores of some sessions. */
export interface Means {
  readonly surprise: number;
  readonly disagreement: number;
  readonly unknown: number;
}

/** Scores one session. */
export function scoreSession(
  session: string,
  decisions: readonly AuditedDecision[],
  tools: { readonly called: readonly string[]; readonly known: ReadonlySet<string> },
): SessionScore {
  const unknown = tools.called.filter((tool) => !tools.known.has(tool));
  const bySite = [...Map.groupBy(decisions, (d) => d.site)].map((
    [site, list],
  ): [string, number] => [site, mean(list.map(nats))]);
  return {
    session,
    surprise: mean(decisions.map(nats)),
    disagreement: mean(decisions.map((d) => d.agent === d.likeliest ? 0 : 1)),
    unknown: tools.called.length === 0 ? 0 : unknown.length / tools.called.length,
    bySite: new Map(bySite),
    unknownTools: [...new Set(unknown)].sort(),
  };
}

/** Looks for a change in sessions, in the order they started. */
export function drift(
  sessions: readonly SessionScore[],
  options: ChangePointOptions & { readonly threshold: number },
): Drift {
  const beliefs = changePoints(
    sessions.map((s) => [s.surprise, s.disagreement, s.unknown]),
    options,
  );
  const last = beliefs.at(-1);
  const isAlarm = last !== undefined && last.alarm >= options.threshold;
  const cut = isAlarm ? sessions.length - last.likeliest : sessions.length;
  const [old, recent] = [sessions.slice(0, cut), sessions.slice(cut)];
  const names = [...new Set(recent.flatMap((s) => [...s.bySite.keys()]))].sort();
  const siteMean = (list: readonly SessionScore[], site: string) =>
    mean(list.flatMap((s) => s.bySite.get(site) ?? []));
  return {
    sessions,
    beliefs,
    isAlarm,
    since: isAlarm ? sessions[cut]?.session : undefined,
    before: means(old),
    after: means(recent),
    sites: names.map((site) => ({
      site,
      before: siteMean(old, site),
      after: siteMean(recent, site),
    }))
      .sort((a, b) => (b.after - b.before) - (a.after - a.before)),
    unknownTools: [...new Set(sessions.flatMap((s) => s.unknownTools))].sort(),
  };
}

/** The report, without a final newline. */
export function driftMarkdown(found: Drift, domain: string): string {
  const { sessions, beliefs, isAlarm, since, before, after } = found;
  const alarm = beliefs.at(-1)?.alarm ?? 0;
  const row = (name: string, m: Means) =>
    `| ${name} | ${m.surprise.toFixed(3)} | ${m.disagreement.toFixed(3)} | ${
      m.unknown.toFixed(3)
    } |`;
  const unknown = found.unknownTools.length === 0
    ? "Every tool the agents called was known in training."
    : `Tools that training never saw: ${found.unknownTools.join(", ")}.`;
  return [
    `# Drift of the ${domain} flow`,
    "",
    isAlarm
      ? `The alarm sounds: with probability ${alarm.toFixed(2)} the sessions changed, most likely ${
        beliefs.at(-1)?.likeliest
      } ` +
        `sessions ago, at ${since}. ${sessions.length} sessions scored.`
      : `No alarm: the probability of a recent change is ${
        alarm.toFixed(2)
      }. ${sessions.length} sessions scored.`,
    "",
    "| sessions | nats a step | disagreement | unknown tools |",
    "|---|---|---|---|",
    row(isAlarm ? "before" : "all", before),
    ...(isAlarm ? [row("since", after)] : []),
    ...(isAlarm
      ? [
        "",
        "## Sites",
        "",
        "| site | before | since |",
        "|---|---|---|",
        ...found.sites.slice(0, 10).map((s) =>
          `| ${s.site} | ${s.before.toFixed(3)} | ${s.after.toFixed(3)} |`
        ),
      ]
      : []),
    "",
    unknown,
  ].join("\n");
}

function means(list: readonly SessionScore[]): Means {
  return {
    surprise: mean(list.map((s) => s.surprise)),
    disagreement: mean(list.map((s) => s.disagreement)),
    unknown: mean(list.map((s) => s.unknown)),
  };
}

function nats(d: AuditedDecision): number {
  return -Math.log(d.p);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length;
}
