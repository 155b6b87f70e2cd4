/**
 * Plays a recorded episode as an MCP host would, through any command line: the
 * agent's calls turn by turn, the calls of one turn sent together. A turn is sent
 * when all results of the one before are there.
 *
 * @module
 */

import { isStale, staleIds } from "../../lib/flow/state/staleness.ts";
import type { Episode } from "../../lib/trace/episode.ts";
import { at, isObject, type JsonObject, sameJson, textAt } from "../../lib/json/json.ts";
import type { Manifest } from "../../lib/trace/manifest.ts";
import { StdioHost } from "./stdio_host.ts";

/** The line that begins an appendix of lookups. */
const APPENDIX =
  "--- Also looked up automatically (current results; no need to repeat these calls) ---";

/** A call to make. */
export interface PlannedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** A call that was made, with its answer. */
export interface PlayedCall extends PlannedCall {
  /** Which turn with calls it was recorded in, from 0. */
  readonly turn: number;
  /** The texts of its result: the tool's own first, an appendix of lookups after it. */
  readonly texts: readonly string[];
  readonly isError: boolean;
}

/** Options for {@linkcode playEpisode}. */
export interface PlayOptions {
  /** The command line of the server, or of the proxy before it. */
  readonly argv: readonly string[];
  /** Variables added to its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** How long to wait before each turn but the first, in milliseconds. Default: 0. */
  readonly turnPauseMs?: number;
  /** Told of each message of the conversation before the calls that follow it. */
  readonly onSpoken?: (role: "user" | "assistant", text: string) => void | Promise<void>;
  /** Told of each answer, in the order in which the calls were sent. */
  readonly onResult?: (call: PlayedCall) => void | Promise<void>;
  /**
   * Whether the agent leaves a call out, since it has seen the answer: for example
   * {@linkcode wasLookedUp}. `seen` are the calls made so far. A turn without calls
   * is not played. Default: it makes all.
   */
  readonly agentSkips?: (call: PlannedCall, seen: readonly PlayedCall[]) => boolean;
}

/** What was played. */
export interface Played {
  /** The calls made, with their answers. */
  readonly calls: readonly PlayedCall[];
  /** Turns with calls that were played. */
  readonly turns: number;
  /** Turns whose every call was left out. */
  readonly skippedTurns: number;
  /** Calls left out. */
  readonly skippedCalls: number;
  /** The command's exit status. */
  readonly code: number;
  /** What it wrote to stderr. */
  readonly stderr: string;
}

/**
 * Plays an episode's calls.
 *
 * @param episode The episode.
 * @param options The command line, and what to do on the way.
 * @returns What was played.
 * @throws {Error} When a request fails or the command ends early.
 */
export async function playEpisode(episode: Episode, options: PlayOptions): Promise<Played> {
  const host = await StdioHost.start(options.argv, { env: options.env ?? {} });
  const calls: PlayedCall[] = [];
  let [recorded, turns, skippedTurns, skippedCalls] = [0, 0, 0, 0];
  try {
    await host.request("tools/list");
    for (const event of episode.events) {
      if (event.kind === "tool_result") continue;
      const speak = async () => {
        if (event.text === null) return;
        await options.onSpoken?.(event.kind === "user" ? "user" : "assistant", event.text);
      };
      if (event.kind === "user" || event.calls.length === 0) {
        await speak();
        continue;
      }
      const turn = recorded++;
      const planned = event.calls.map((call) => ({ tool: call.name, arguments: call.arguments }));
      const wanted = planned.filter((call) => !(options.agentSkips?.(call, calls) ?? false));
      skippedCalls += planned.length - wanted.length;
      if (wanted.length === 0) {
        skippedTurns++;
        continue;
      }
      await speak(); // What stands in a turn that is left out is left unsaid.
      if (turns++ > 0) await pause(options.turnPauseMs ?? 0);
      const answers = await host.requests(
        "tools/call",
        wanted.map((call) => ({ name: call.tool, arguments: call.arguments })),
      );
      for (const [i, call] of wanted.entries()) {
        const content = at(answers[i], "content");
        const texts = (Array.isArray(content) ? content : []).flatMap((item) =>
          textAt(item, "text") ?? []
        );
        const isError = at(answers[i], "isError") === true;
        const made = { ...call, turn, texts, isError };
        calls.push(made);
        await options.onResult?.(made);
      }
    }
  } finally {
    await host.close();
  }
  return { calls, turns, skippedTurns, skippedCalls, ...await host.close() };
}

/**
 * Whether an appendix has shown the answer to a call that the agent wants to make,
 * counted as replay counts: each lookup stands for one such call, and an accepted
 * write makes some of them stale.
 *
 * @param manifest Which tools write.
 * @returns A fresh function for {@linkcode PlayOptions.agentSkips} of one episode.
 */
export function wasLookedUp(
  { domain, tools }: Manifest,
): (call: PlannedCall, seen: readonly PlayedCall[]) => boolean {
  let known: PlannedCall[] = [];
  let read = 0;
  return (call, seen) => {
    for (const made of seen.slice(read)) {
      if (tools[made.tool] === "write" && !made.isError) {
        const ids = staleIds(made.arguments, parsed(made.texts[0]));
        known = known.filter((k) => !isStale({ tool: k.tool, args: k.arguments }, ids, domain));
      }
      known.push(...made.texts.flatMap(lookups));
    }
    read = seen.length;
    const found = known.findIndex(({ tool, arguments: args }) =>
      tool === call.tool && sameJson(args, call.arguments)
    );
    if (found >= 0) known.splice(found, 1);
    return found >= 0;
  };
}

/** The lookups of an appendix; none in any other text. */
export function lookups(text: string): PlannedCall[] {
  if (!text.trimStart().startsWith(APPENDIX)) return [];
  return text.split("\n").flatMap((line) => {
    const [, tool, json] = /^(\w+) (\{.*\}):$/.exec(line) ?? [];
    const args = parsed(json);
    return tool === undefined || !isObject(args) ? [] : [{ tool, arguments: args }];
  });
}

/** The JSON value of a text; undefined when it is none. */
function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
