/**
 * What one session cost, and which of the flow's lookups its agent made again.
 *
 * A lookup that the agent repeats in a later turn was most likely not seen: its host may have cut
 * it off. A repeat after a call that may have changed something is right, and not counted: such a
 * call's tool is neither marked as only reading nor ever looked up by a flow.
 *
 * @module
 */

import { canonicalJson } from "../json/canonical_json.ts";
import { episodeOf } from "../trace/log_episode.ts";
import type { Episode, EpisodeCall } from "../trace/episode.ts";
import type { ToolKind } from "../trace/manifest.ts";
import type { Trace } from "../trace/trace.ts";
import type { LogHeader } from "../log/log.ts";

/** What a token is taken for: each model counts in its own way. */
const CHARACTERS_PER_TOKEN = 4;

/** A session, measured. */
export interface MeasuredSession {
  readonly id: string;
  /** Model turns. */
  readonly turns: number;
  /** The agent's calls. */
  readonly calls: number;
  /** Tokens of the results that the agent was given, lookups included; an estimate. */
  readonly tokens: number;
  /** From the agent's first call to the last answer to one. */
  readonly seconds: number;
  /** Lookups that the agent was given. */
  readonly served: number;
  /** Tools of those that the agent called again although nothing had changed. */
  readonly repeated: readonly string[];
  /** Lookups that did not fit into a result. */
  readonly leftOut: number;
}

/** A lookup that the agent was not given. */
interface LeftOut {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What is known of the session besides its log. */
export interface MeasureOptions {
  /** Lookups of its flow log that did not fit. */
  readonly leftOut: readonly LeftOut[];
  /** The kinds of the tools, as the servers declare them. */
  readonly kinds: Readonly<Record<string, ToolKind>>;
  /** The time limit between calls of one turn. */
  readonly sameTurnMs: number;
}

/**
 * Measures a session.
 *
 * @param trace The session.
 * @param header The first line of its log.
 * @param facts What is known besides.
 * @returns What it cost.
 */
export function measureSession(
  trace: Trace,
  header: LogHeader,
  { leftOut, kinds, sameTurnMs }: MeasureOptions,
): MeasuredSession {
  const episode = episodeOf(trace, header, { sameTurnMs });
  const agents = episode.calls.filter(({ by }) => by !== "flow");
  const served = servedOf(episode, leftOut);
  const given = [...agents, ...served].reduce(
    (n, { answer }) => n + (answer?.content.length ?? 0),
    0,
  );
  return {
    id: episode.id,
    turns: episode.turns,
    calls: agents.length,
    tokens: Math.ceil(given / CHARACTERS_PER_TOKEN),
    seconds: secondsOf(trace),
    served: served.length,
    repeated: repeatsOf(episode, served, kinds),
    leftOut: leftOut.length,
  };
}

/** The flow's lookups that were answered and fitted. */
function servedOf({ calls }: Episode, leftOut: readonly LeftOut[]): EpisodeCall[] {
  const missing = leftOut.map(({ tool, arguments: args }) => ({ tool, args: canonicalJson(args) }));
  return calls.filter((call) => {
    if (call.by !== "flow" || call.answer === undefined || call.answer.error) return false;
    const args = canonicalJson(call.arguments);
    // In merged logs a tool has its server's name in front.
    const at = missing.findIndex((left) =>
      left.args === args && (call.name === left.tool || call.name.endsWith(`::${left.tool}`))
    );
    if (at >= 0) missing.splice(at, 1);
    return at < 0;
  });
}

/** The tools of served lookups that the agent called again although nothing had changed. */
function repeatsOf(
  { calls }: Episode,
  served: readonly EpisodeCall[],
  kinds: MeasureOptions["kinds"],
): string[] {
  const isServed = new Set(served);
  const lookedUp = new Set(calls.flatMap(({ by, name }) => by === "flow" ? [name] : []));
  const waiting = new Map<string, number>();
  const repeated: string[] = [];
  for (const call of calls) {
    const key = `${call.name} ${canonicalJson(call.arguments)}`;
    if (isServed.has(call)) {
      waiting.set(key, call.turn);
      continue;
    }
    if (call.by === "flow") continue;
    const turn = waiting.get(key);
    // A call of the same turn was sent before the lookups could be seen.
    if (turn !== undefined && call.turn > turn) {
      repeated.push(call.name);
      waiting.delete(key);
    }
    if (kinds[call.name] !== "read" && !lookedUp.has(call.name)) waiting.clear();
  }
  return repeated;
}

/** Seconds from the agent's first call to the last answer to one of its calls. */
function secondsOf({ pairs }: Trace): number {
  const times = pairs.exchanges.flatMap(({ request, answers }) =>
    request.from === "client" && request.method === "tools/call"
      ? [request.t_ms, ...answers.map(({ t_ms }) => t_ms)]
      : []
  );
  if (times.length === 0) return 0;
  const [first, last] = times.reduce(
    ([low, high], ms) => [Math.min(low, ms), Math.max(high, ms)],
    [Infinity, -Infinity],
  );
  return (last - first) / 1000;
}
