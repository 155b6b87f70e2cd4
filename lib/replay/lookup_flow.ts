/**
 * A flow as the library shows it: read from a file, asked for the next lookup.
 *
 * It decides as the proxy does: both run `runFlow` over a session state. Exploring
 * and the questions to a model are left out, so the same session gives the same
 * decision every time.
 *
 * @module
 */

import type { JsonObject } from "../json/json.ts";
import type { CallResult } from "../trace/call_result.ts";
import type { Episode } from "../trace/episode.ts";
import { FlowDecider } from "../flow/deciding/decider.ts";
import { surpriseGate } from "../flow/deciding/surprise.ts";
import type { Flow } from "../flow/flow.ts";
import type { ReadResult } from "../flow/state/flow_state.ts";
import { lenientParser } from "../flow/state/lenient.ts";
import { resultReader } from "../flow/state/read_result.ts";
import { runFlow } from "../flow/walking/run_flow.ts";
import { walk } from "./walk.ts";

/** The decision of a flow: the lookup to make, or the reason to return to the agent. */
export type LookupDecision =
  | {
    /** Discriminates the decisions. */
    readonly kind: "lookup";
    /** The tool to call. */
    readonly tool: string;
    /** Its arguments. */
    readonly arguments: JsonObject;
  }
  | {
    /** Discriminates the decisions. */
    readonly kind: "hand_back";
    /** Why the flow makes no lookup. */
    readonly reason: string;
  };

/** Limits for {@linkcode LookupFlow.decide}. */
export interface LookupLimits {
  /**
   * Lowest score of a lookup, 0 to 1.
   *
   * @default {the threshold in the flow file}
   */
  readonly threshold?: number;
  /**
   * Most lookups after one call.
   *
   * @default {8}
   */
  readonly perCall?: number;
}

/**
 * A flow: it predicts the lookups that an agent makes next.
 *
 * @example Read a flow and ask for the next lookups
 * ```ts
 * import { episode, LookupFlow, readLog } from "@hoist/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const flow = await LookupFlow.parse(
 *   await Deno.readTextFile("testdata/flows/parcels.flow.json"),
 * );
 * const ep = episode(await readLog("testdata/served/20261112T081503.077Z-911.jsonl"));
 * const [call] = ep.calls;
 *
 * assertEquals(flow.decide(ep, call?.id ?? ""), {
 *   kind: "lookup",
 *   tool: "get_sender",
 *   arguments: { sender_id: "S-20" },
 * });
 * ```
 */
export class LookupFlow {
  /** The domain whose sessions the flow was learned from. */
  readonly domain: string;
  /** The tools that the flow may call, sorted. All are reads. */
  readonly tools: readonly string[];
  readonly #flow: Flow;
  readonly #read: ReadResult;

  private constructor(flow: Flow, read: ReadResult) {
    this.domain = flow.manifest.domain;
    this.tools = flow.reads;
    this.#flow = flow;
    this.#read = read;
  }

  /**
   * Reads a flow file.
   *
   * @param text The text of the file.
   * @param path The name of the file, for error messages.
   * @returns The flow.
   * @throws {SyntaxError} When the text is not a flow of this version; names the place.
   */
  static async parse(text: string, path = "the flow"): Promise<LookupFlow> {
    const { readFlow } = await import("../flow/file/read_flow.ts");
    return new LookupFlow(readFlow(text, path), resultReader(await lenientParser()));
  }

  /**
   * Decides the next lookup after a call of the agent was answered.
   *
   * Make the lookup, then ask again with its answer, until the flow hands back.
   *
   * @param episode The session so far; events after the answer are ignored.
   * @param callId The id of the answered call.
   * @param answers The answers to the lookups made since, in order; empty at first.
   * @param limits The threshold and the number of lookups.
   * @returns The decision.
   * @throws {RangeError} When the episode has no answer to that call, or the answers are more than
   *   the lookups.
   */
  decide(
    episode: Episode,
    callId: string,
    answers: readonly CallResult[] = [],
    limits: LookupLimits = {},
  ): LookupDecision {
    const end = episode.events.findIndex((e) => e.kind === "tool_result" && e.call.id === callId);
    const event = episode.events[end];
    if (event?.kind !== "tool_result") {
      throw new RangeError(`Cannot decide after call "${callId}": the episode has no answer to it`);
    }
    const watch = surpriseGate(this.#flow, undefined);
    const state = walk(
      { ...episode, events: episode.events.slice(0, end + 1) },
      this.#flow.manifest,
      this.#read,
      watch === undefined ? {} : { watch },
    );
    const { name, error } = event;
    const site = { tool: name, failed: error, steps: state.stepsTo(callId) };
    const run = runFlow(new FlowDecider(this.#flow), state, site, limits, { lookups: 0 });
    let next = run.next();
    for (const answer of answers) {
      if (next.done || next.value.action.kind === "hand_back") {
        throw new RangeError(
          `Cannot decide after ${answers.length} answers: that many lookups were not made`,
        );
      }
      next = run.next(answer);
    }
    if (next.done) return { kind: "hand_back", reason: "the flow's program has ended" };
    const { action } = next.value;
    return action.kind === "hand_back"
      ? { kind: "hand_back", reason: action.reason }
      : { kind: "lookup", tool: action.tool, arguments: action.arguments };
  }
}
