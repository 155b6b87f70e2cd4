/**
 * A flow behind one session: it hears what happens, and behind an answered call
 * it decides, looks up, and decides again until it hands back.
 *
 * What it decides is {@linkcode runFlow}'s, the same that replay runs; here the
 * answers come from the server, each within a limit. Whatever fails ends the run
 * and is logged; the agent's own result is never lost over it.
 *
 * @module
 */

import type { FlowDecider } from "../flow/deciding/decider.ts";
import type { Site } from "../flow/deciding/option.ts";
import { explored, type Policy, sessionContent } from "../flow/walking/explore.ts";
import { decisionLine, runLine } from "../flow/walking/flow_log.ts";
import {
  type LookupAnswer,
  NO_ANSWER,
  PER_CALL,
  runFlow,
  type RunReply,
  type Spent,
  worth,
} from "../flow/walking/run_flow.ts";
import type { FlowDecision } from "../flow/walking/flow_decision.ts";
import { lookupsAt, siteName } from "../flow/flow.ts";
import { FlowState } from "../flow/state/flow_state.ts";
import { surpriseGate } from "../flow/deciding/surprise.ts";
import type { JsonObject } from "../json/json.ts";
import type { AppendedLookup } from "./append.ts";
import { AskedAnswers } from "./asked_answers.ts";
import type { FlowSetting } from "./flow_setting.ts";
import type { FlowTally } from "./flow_tally.ts";
import type { ServerNames } from "./server_names.ts";
import { NOT_LISTED } from "./listed_tools.ts";
import { type Later, waited, type Waiting, within } from "./within.ts";

/** What a session's flow asks of its surroundings. */
export interface FlowPorts {
  /** Makes a lookup; undefined when no answer came in time. */
  readonly lookUp: (tool: string, args: JsonObject, ms: number) => Promise<LookupAnswer>;
  /** Why a lookup may not be made; undefined when it may. */
  readonly refusal: (tool: string) => Promise<string | undefined>;
  /** Brings in what was said in the conversation since. */
  readonly listen: () => void;
  /** Appends lines to the flow log, parted by newlines and without the last one. */
  readonly log: (line: string) => void;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonicMs: () => number;
  readonly later: Later;
  /** Tells the user. */
  readonly say: (line: string) => void;
}

/** A call of the agent behind which the flow decides. */
export interface FlowSite {
  /** The call's JSON-RPC id, as written. */
  readonly after: string;
  readonly site: Site;
}

/** A turn's runs, which share their limits and what they find. */
export interface FlowRun {
  /** What was looked up so far, in order. */
  readonly found: AppendedLookup[];
  /** Lookups made so far, those that failed too. */
  made: number;
  /** When all must be over, on the session's clock. */
  readonly endMs: number;
  /** Whether nobody waits for it any more. */
  readonly isOver: () => boolean;
}

/** A flow behind one session. */
export class SessionFlow {
  /** What it did so far. */
  readonly tally: FlowTally = { lookups: 0, failed: 0, heldMs: 0, expected: 0 };
  readonly #setting: FlowSetting;
  readonly #ports: FlowPorts;
  readonly #names: () => ServerNames;
  readonly #state: FlowState;
  readonly #decider: FlowDecider;
  readonly #answers: AskedAnswers;
  readonly #spent: Spent = { lookups: 0 };
  /** What the agent said, while it is not known whether calls go with it. */
  #words: string | undefined;
  #policy: Policy | undefined;
  #isCounted = false;
  #saidForeign = false;
  /** The line of a hand back, until the run's own follows it. */
  #lastLine: string | undefined;
  readonly #saidWithheld = new Set<string>();

  /** Starts with nothing said or called. */
  constructor(setting: FlowSetting, task: string, names: () => ServerNames, ports: FlowPorts) {
    this.#setting = setting;
    this.#ports = ports;
    this.#names = names;
    this.#state = new FlowState(setting.flow.manifest, setting.read, setting.taskId ?? task);
    this.#state.watch = surpriseGate(setting.flow, setting.limits.surprise);
    this.#answers = new AskedAnswers(setting.oracle, setting.questions, ports.later);
    this.#decider = setting.decider(this.#answers);
    const isAsked = this.#decider.decider === "arbiter" || setting.explore !== undefined;
    if (!isAsked) this.#state.transcript.stop();
  }

  /** Something was said in the conversation. */
  heard(role: "user" | "assistant", text: string): void {
    this.#settleWords();
    if (role === "user") this.#state.hear(text);
    else this.#words = text;
  }

  /** Whether the flow has lookups to offer behind a call of this tool. */
  mayFollow(tool: string): boolean {
    return lookupsAt(this.#setting.flow, siteName(this.#names().toFlow(tool), false)).size > 0;
  }

  /**
   * The agent made a call, or a commit did for it.
   *
   * @param id A name of its own.
   * @param tool The server's name of the tool.
   * @param args The arguments.
   * @param inTurn Calls of the agent's turn that wait, this one included; 0 for a commit's.
   */
  sent(id: string, tool: string, args: JsonObject, inTurn: number): void {
    this.#words = undefined; // They go with the call.
    if (inTurn === 1) this.#isCounted = false;
    else if (inTurn > 1 && !this.#isCounted) {
      this.#isCounted = true;
      this.#state.parallelTurns++;
    }
    this.#state.send(id, this.#names().toFlow(tool), args);
  }

  /**
   * A call was answered.
   *
   * @returns Where the flow may decide behind it.
   */
  answered(id: string, tool: string, error: boolean, content: string): Site {
    this.#settleWords();
    this.#state.answer(id, error, content);
    this.#state.forgetSteps();
    return { tool: this.#names().toFlow(tool), failed: error, steps: this.#state.stepsTo(id) };
  }

  /** A call will get no answer. */
  dropped(id: string): void {
    this.#state.drop(id);
  }

  /**
   * Runs behind calls of one turn, one after another.
   *
   * @param sites Where.
   * @param run What the runs share; what is found is added to it.
   * @returns A generator of what has to be waited for. One that ends without any has handed back
   *   at once, and found nothing.
   */
  *run(sites: readonly FlowSite[], run: FlowRun): Waiting<void> {
    if (!this.#names().isKnown) {
      if (!this.#saidForeign) {
        this.#ports.say("the flow knows no tool of this server: nothing is looked up");
      }
      this.#saidForeign = true;
      return;
    }
    for (const site of sites) {
      if (run.isOver() || this.#ports.monotonicMs() >= run.endMs) break;
      yield* this.#behind(site, run);
    }
  }

  *#behind({ after, site }: FlowSite, shared: FlowRun): Waiting<void> {
    const { limits, explore } = this.#setting;
    const perCall = Math.max(0, (limits.perCall ?? PER_CALL) - shared.made);
    const run = runFlow(this.#decider, this.#state, site, {
      ...limits,
      perCall,
      offers: (tool) => this.#names().toServer(tool) !== undefined,
      ...(explore === undefined ? {} : { amend: this.#amend }),
    }, this.#spent);
    this.#ports.listen();
    for (let next = run.next(), began = this.#ports.monotonicMs();;) {
      if (next.done) {
        const { sites, fault } = next.value;
        if (fault !== undefined) this.#ports.say(`the flow's program cannot go on: ${fault}`);
        const call = { call: site.tool, failed: site.failed, maxLookups: perCall };
        const run = runLine({ after, ...call, sites });
        this.#ports.log(this.#lastLine === undefined ? run : `${this.#lastLine}\n${run}`);
        this.#lastLine = undefined;
        return;
      }
      let decision = next.value;
      if (isHandBack(decision, NO_ANSWER)) {
        const ms = shared.endMs - this.#ports.monotonicMs();
        const missing = yield* waited(this.#answers.ask(ms));
        if (missing === undefined) {
          next = run.next("again");
          continue;
        }
        const reason = missing === "budget"
          ? "the session's question budget is spent"
          : `no answer from the oracle: ${missing}`;
        decision = { ...decision, action: { kind: "hand_back", reason } };
      }
      const reply = yield* this.#act(decision, shared, { after, began });
      this.#ports.listen();
      began = this.#ports.monotonicMs();
      next = run.next(reply);
    }
  }

  /** Logs a decision, and makes its lookup where it is one. */
  *#act(
    decision: FlowDecision,
    run: FlowRun,
    { after, began }: { readonly after: string; readonly began: number },
  ): Waiting<RunReply> {
    const { action } = decision;
    const server = action.kind === "lookup" ? this.#names().toServer(action.tool) : undefined;
    const { isShadow } = this.#setting;
    const refusal = server === undefined || isShadow
      ? undefined
      : yield* waited(this.#refusal(server, run.endMs));
    if (action.kind === "lookup" && refusal !== undefined) this.#sayWithheld(action.tool, refusal);
    const isMade = action.kind === "lookup" && !isShadow;
    const withheld = refusal ?? (isMade && run.isOver() ? "nobody waits for it" : undefined);
    const line = decisionLine({
      ...this.#answers.said(),
      after,
      decision,
      decider: this.#decider.decider,
      ms: Math.round(this.#ports.monotonicMs() - began),
      ...(isShadow ? { shadow: true } : {}),
      ...(withheld === undefined ? {} : { withheld }),
      ...(this.#policy === undefined ? {} : { policy: this.#policy }),
    });
    this.#policy = undefined;
    // The run ends with a hand back, in the same turn of the event loop: one write does for both.
    if (action.kind === "hand_back") this.#lastLine = line;
    else this.#ports.log(line);
    if (!isMade || withheld !== undefined || server === undefined) return "withheld";
    run.made++;
    this.tally.lookups++;
    this.tally.expected += worth(decision.best);
    const ms = Math.min(this.#setting.lookupMs, run.endMs - this.#ports.monotonicMs());
    const looking = this.#ports.lookUp(server, action.arguments, Math.max(1, ms));
    const answer = yield* waited(looking);
    if (answer === undefined || answer.error) this.tally.failed++;
    else {
      const args = JSON.stringify(action.arguments);
      run.found.push({ tool: server, args, content: answer.content });
    }
    return answer;
  }

  /** Why a lookup may not be made; waits for the server's list, but not past the run's end. */
  async #refusal(tool: string, endMs: number): Promise<string | undefined> {
    const left = Math.max(1, endMs - this.#ports.monotonicMs());
    const asked = this.#ports.refusal(tool).then((why) => ({ why }));
    const found = await within(asked, left, this.#ports.later);
    return found === undefined ? NOT_LISTED : found.why;
  }

  readonly #amend = (decision: FlowDecision, state: FlowState): FlowDecision => {
    const { explore } = this.#setting;
    if (explore === undefined) return decision;
    const amended = explored(decision, { ...explore, events: sessionContent(state) });
    this.#policy = amended.policy;
    return amended.decision;
  };

  #sayWithheld(tool: string, why: string): void {
    if (this.#saidWithheld.has(tool)) return;
    this.#saidWithheld.add(tool);
    this.#ports.say(`the flow may not look up ${tool}: ${why}`);
  }

  #settleWords(): void {
    if (this.#words !== undefined) this.#state.say(this.#words);
    this.#words = undefined;
  }
}

function isHandBack({ action }: FlowDecision, reason: string): boolean {
  return action.kind === "hand_back" && action.reason === reason;
}
