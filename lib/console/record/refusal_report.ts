/**
 * Refused calls by the reason that the proxy gave the agent.
 *
 * @module
 */

/** A refused call. */
export interface RefusedCall {
  readonly key: string;
  /** The row in its session. */
  readonly n: number;
  readonly tool: string;
  readonly server: string;
  /** When, milliseconds since 1970. */
  readonly unixMs: number;
  /** The start of what the agent was told. */
  readonly reply: string;
}

/** The refusals of one rule and tool. */
export interface RefusalLine {
  readonly rule: string;
  readonly tool: string;
  readonly times: number;
  readonly sessions: number;
  readonly latest: RefusedCall;
}

/**
 * The check that a refusal names, as the proxy ends its sentences.
 *
 * @param reply What the agent was told.
 * @returns The rule's name, `confirmation judge`, or `another check`.
 */
export function ruleOf(reply: string): string {
  const named = /\(policy check ([^)]+)\)/.exec(reply)?.[1];
  if (named !== undefined) return named;
  return /\(confirmation judge\b/.test(reply) ? "confirmation judge" : "another check";
}

/**
 * Groups refusals.
 *
 * @param calls The refused calls, newest first.
 * @returns A line a rule and tool, most refusals first.
 */
export function refusalLines(calls: readonly RefusedCall[]): RefusalLine[] {
  const groups = Map.groupBy(calls, ({ reply, tool }) => JSON.stringify([ruleOf(reply), tool]));
  return [...groups.values()].flatMap((group) => {
    const [latest] = group;
    if (latest === undefined) return [];
    const sessions = new Set(group.map(({ key }) => key)).size;
    return [{
      rule: ruleOf(latest.reply),
      tool: latest.tool,
      times: group.length,
      sessions,
      latest,
    }];
  }).sort((a, b) => b.times - a.times || (a.rule < b.rule ? -1 : 1));
}
