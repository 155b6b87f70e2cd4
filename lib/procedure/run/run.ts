/**
 * Runs a procedure as a state machine: events in, effects out. It makes no call itself
 * and has no clock, so that the program, learning and tests share every step.
 *
 * It asks for one call at a time and never repeats one: when an answer is lost, the
 * run fails.
 *
 * @module
 */

import type { JsonObject } from "../../json/json.ts";
import { bindAction } from "./bind_action.ts";
import { featuresOf } from "./features.ts";
import {
  type Action,
  type OutcomeCheck,
  type Procedure,
  type ProcedureNode,
  siteOf,
  START_SITE,
} from "../procedure.ts";
import type { CheckReport, MadeCall, RunReport, RunVerdict, UnmadeCall } from "./run_report.ts";
import { RunState } from "./run_state.ts";
import type { RunCall, RunEffect, RunEvent, RunOptions } from "./run_step.ts";

interface Pending extends RunCall {
  readonly text: string;
  readonly isProbe: boolean;
  readonly isHandoff: boolean;
}

/** One run. */
export class ProcedureRun {
  readonly #procedure: Procedure;
  readonly #options: RunOptions;
  readonly #state: RunState;
  readonly #calls: MadeCall[] = [];
  readonly #notMade: UnmadeCall[] = [];
  #site = START_SITE;
  #path: string[] = [];
  #pending: Pending | undefined;
  /** Whether the pending call waits for a person's confirmation. */
  #isAsked = false;
  #check: CheckReport | null = null;
  #ruling: OutcomeCheck | undefined;
  #end: { readonly verdict: RunVerdict; readonly reason: string | null } | undefined;

  /** Makes a run that starts with the event `begin`. */
  constructor(procedure: Procedure, options: RunOptions) {
    this.#procedure = procedure;
    this.#options = options;
    this.#state = new RunState(options, options.read);
  }

  /** The state of the run, for learning. */
  get state(): RunState {
    return this.#state;
  }

  /** The leaf that the current effect comes from. */
  get place(): { readonly site: string; readonly path: readonly string[] } {
    return { site: this.#site, path: this.#path };
  }

  /**
   * Takes an event.
   *
   * @param event The event.
   * @returns The next effect.
   * @throws {TypeError} When an answer arrives and no call waits.
   */
  step(event: RunEvent): RunEffect {
    if (this.#end !== undefined) return { kind: "end" };
    const pending = this.#pending;
    this.#pending = undefined;
    if (event.kind === "begin") return this.#next();
    if (pending === undefined) {
      // Before the first call only the server itself can be lost.
      if (event.kind === "lost") return this.#finish("failed", event.reason);
      throw new TypeError(`Cannot take "${event.kind}": no call waits`);
    }
    switch (event.kind) {
      case "confirmed":
        return this.#make(pending);
      case "declined":
        return this.#unmade(pending, "not_confirmed", "you did not confirm it");
      case "lost":
        if (this.#isAsked) return this.#finish("failed", event.reason);
        this.#calls.push(made(pending, true, null));
        return this.#finish("failed", `${pending.tool} was not answered: ${event.reason}`);
      case "answered":
        return this.#answered(pending, event.error, event.content);
    }
  }

  /** The report of the run so far; its verdict is `failed` until the run ends. */
  report(): RunReport {
    return {
      hoist_procedure_run: 1,
      domain: this.#procedure.domain,
      dry_run: this.#options.isDry ?? false,
      calls: this.#calls,
      not_made: this.#notMade,
      check: this.#check,
      verdict: this.#end?.verdict ?? "failed",
      reason: this.#end === undefined ? "the run has not ended" : this.#end.reason,
      ended_at: { site: this.#site, path: this.#path },
    };
  }

  #next(): RunEffect {
    const { trees, fallback, maxCalls, stop, handoff, handoffArguments, reads } = this.#procedure;
    const node = this.#leaf(
      Object.hasOwn(trees, this.#site) ? trees[this.#site] ?? fallback : fallback,
    );
    if (node.kind === "hand_back") return this.#finish("hand_back", node.reason);
    const faults: string[] = [];
    for (const { action } of node.actions) {
      const isHandoff = action.tool === handoff;
      if (action.tool === stop) return this.#checkOutcome();
      const bound = isHandoff && action.arguments === undefined
        ? { kind: "bound" as const, arguments: handoffArguments }
        : this.#bind(action);
      if (bound.kind === "unbound") {
        faults.push(`${action.text} does not bind: ${bound.reason}`);
        continue;
      }
      if (this.#calls.length + this.#notMade.length >= maxCalls) {
        return this.#finish("hand_back", `${maxCalls} calls were made, the most of one run`);
      }
      const call = {
        tool: action.tool,
        arguments: bound.arguments,
        isRead: reads.has(action.tool),
      };
      return this.#propose({ ...call, text: action.text, isProbe: false, isHandoff });
    }
    const why = faults.join("; ");
    return this.#finish(
      "hand_back",
      node.otherwise === undefined ? why : `${node.otherwise} (${why})`,
    );
  }

  #leaf(root: ProcedureNode): Exclude<ProcedureNode, { kind: "split" }> {
    this.#path = [];
    if (root.kind !== "split") return root;
    const features = featuresOf(this.#state, this.#procedure);
    let node: ProcedureNode = root;
    while (node.kind === "split") {
      const holds = features.has(node.feature.toLowerCase());
      this.#path.push(`${holds ? "" : "not "}${node.feature}`);
      node = holds ? node.yes : node.no;
    }
    return node;
  }

  #bind(action: Action): ReturnType<typeof bindAction> {
    if (action.arguments !== undefined) return bindAction(action, this.#state);
    return this.#state.isBarred(action.tool, {})
      ? { kind: "unbound", reason: "it was made already" }
      : { kind: "bound", arguments: {} };
  }

  /** Decides about a call that a leaf wants: refuse it, only report it, ask about it, or make it. */
  #propose(call: Pending): RunEffect {
    const { guard, isDry, confirmsWrites } = this.#options;
    const refusal = guard?.refusal(call);
    if (refusal !== undefined) return this.#unmade(call, "refused", refusal);
    if (call.isRead) return this.#make(call);
    if (isDry) return this.#passOver(call);
    if (!confirmsWrites) return this.#make(call);
    this.#pending = call;
    this.#isAsked = true;
    return { kind: "ask", call: bare(call) };
  }

  #make(call: Pending): RunEffect {
    this.#pending = call;
    this.#isAsked = false;
    return { kind: "call", call: bare(call) };
  }

  #unmade(call: Pending, why: UnmadeCall["why"], reason: string): RunEffect {
    this.#notMade.push({ tool: call.tool, arguments: call.arguments, why, reason });
    return this.#finish("hand_back", `${call.tool} was not made: ${reason}`);
  }

  #passOver(call: Pending): RunEffect {
    this.#notMade.push({
      tool: call.tool,
      arguments: call.arguments,
      why: "dry_run",
      reason: null,
    });
    if (call.isHandoff) return this.#finish("transferred", null);
    this.#state.answered(call, undefined);
    this.#site = siteOf(call.tool, false);
    return this.#next();
  }

  #answered(call: Pending, error: boolean, content: string): RunEffect {
    this.#options.guard?.answered(call, error, content);
    if (call.isProbe) return this.#ruled(error, content);
    this.#calls.push(made(call, error, content));
    if (call.isHandoff) {
      return error
        ? this.#finish("hand_back", `${call.tool} failed: ${content}`)
        : this.#finish("transferred", null);
    }
    this.#state.answered(call, { error, content });
    this.#site = siteOf(call.tool, error);
    return this.#next();
  }

  /** Stops; first probes the outcome that the ticket states, if it states one. */
  #checkOutcome(): RunEffect {
    const ticket = this.#options.ticket.toLowerCase();
    const check = this.#procedure.checks.find(({ phrase }) =>
      ticket.includes(phrase.toLowerCase())
    );
    if (check === undefined || this.#options.isDry) return this.#finish("done", null);
    const { probe } = check;
    const bound = probe.arguments === undefined
      ? { kind: "bound" as const, arguments: this.#lastArguments(probe.tool) }
      : bindAction(probe, this.#state, { repeats: true });
    this.#check = { phrase: check.phrase, probe: probe.tool, holds: false, result: null };
    if (bound.kind === "unbound") {
      return this.#finish("hand_back", `the check does not bind: ${bound.reason}`);
    }
    this.#ruling = check;
    return this.#make({
      tool: probe.tool,
      arguments: bound.arguments,
      isRead: true,
      text: probe.text,
      isProbe: true,
      isHandoff: false,
    });
  }

  #ruled(error: boolean, content: string): RunEffect {
    const check = this.#ruling;
    const result = content.toLowerCase();
    const holds = check !== undefined && !error &&
      check.contains.every((text) => result.includes(text.toLowerCase())) &&
      !check.lacks.some((text) => result.includes(text.toLowerCase()));
    const { phrase = "", probe } = check ?? {};
    this.#check = { phrase, probe: probe?.tool ?? "", holds, result: content };
    if (holds) return this.#finish("resolved", null);
    const why = error ? `could not be checked, ${probe?.tool} failed` : "does not hold";
    return this.#finish("hand_back", `the outcome "${phrase}" ${why}`);
  }

  /** The arguments of the last call of a tool; none when it was not called. */
  #lastArguments(tool: string): JsonObject {
    return this.#calls.findLast((call) => call.tool === tool)?.arguments ?? {};
  }

  #finish(verdict: RunVerdict, reason: string | null): RunEffect {
    this.#end = { verdict, reason };
    return { kind: "end" };
  }
}

function bare({ tool, arguments: args, isRead }: Pending): RunCall {
  return { tool, arguments: args, isRead };
}

function made({ tool, arguments: args }: Pending, error: boolean, result: string | null): MadeCall {
  return { tool, arguments: args, error, result };
}
