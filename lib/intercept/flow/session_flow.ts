/**
 * A flow behind one session: it hears what happens, and behind an answered call
 * it decides, looks up, and decides again until it hands back.
 *
 * What it decides is {@linkcode runFlow}'s, the same that replay runs; here the
 * answers come from the server, each within a limit. A failure ends the run, never the result.
 *
 * @module
 */

import type { FlowDecider } from "../../flow/deciding/decider.ts";
import type { Site } from "../../flow/deciding/option.ts";
import { explored, sessionContent } from "../../flow/walking/explore.ts";
import type { FlowDecision } from "../../flow/walking/flow_decision.ts";
import {
  NO_ANSWER,
  PER_CALL,
  runFlow,
  type RunReply,
  type Spent,
  worth,
} from "../../flow/walking/run_flow.ts";
import { lookupsAt, siteName } from "../../flow/flow.ts";
import { FlowState } from "../../flow/state/flow_state.ts";
import { surpriseGate } from "../../flow/deciding/surprise.ts";
import type { RunTrace } from "../../flow/walking/run_trace.ts";
import type { LikelyLookup } from "./appendix/host_budgets.ts";
import type { CallAnswer, ChainCall } from "../chain/interceptor.ts";
import { AskedAnswers } from "./asked_answers.ts";
import { type DecisionEvent, DecisionLog, failureOf } from "./decision_log.ts";
import type { FlowPorts, FlowRun, FlowSite } from "./flow_ports.ts";
import type { FlowSetting } from "./setting.ts";
import { countLeftOut, type FlowTally } from "./tally.ts";
import type { ServerNames } from "./server_names.ts";
import { NOT_LISTED } from "./listed_tools.ts";
import { within } from "./within.ts";

/** A run after one call. */
interface Walk extends FlowSite {
  readonly perCall: number;
  readonly steps: Generator<FlowDecision, RunTrace, RunReply>;
  readonly shared: FlowRun;
  /** When the decision that is next began. */
  began: number;
}

/** A lookup that was decided. */
type Lookup = Extract<FlowDecision["action"], { readonly kind: "lookup" }>;

/** A flow behind one session. */
export class SessionFlow {
  /** What it did so far. */
  readonly tally: FlowTally;
  readonly #setting: FlowSetting;
  readonly #ports: FlowPorts;
  readonly #log: DecisionLog;
  readonly #names: () => ServerNames;
  readonly #state: FlowState;
  readonly #decider: FlowDecider;
  readonly #answers: AskedAnswers;
  readonly #isAsked: boolean;
  readonly #spent: Spent = { lookups: 0 };
  /** What the agent said, while it is not known whether calls go with it. */
  #words: string | undefined;
  #isCounted = false;
  #saidForeign = false;
  readonly #saidWithheld = new Set<string>();

  /** Starts with nothing said or called. */
  constructor(
    setting: FlowSetting,
    session: { readonly id: string; readonly tally: FlowTally; readonly log: (l: string) => void },
    names: () => ServerNames,
    ports: FlowPorts,
  ) {
    this.tally = session.tally;
    this.#setting = setting;
    this.#ports = ports;
    this.#names = names;
    this.#state = new FlowState(
      setting.flow.manifest,
      setting.read,
      setting.taskId ?? session.id,
    );
    this.#state.watch = surpriseGate(setting.flow, setting.limits.surprise);
    this.#answers = new AskedAnswers(setting.oracle, setting.questions, ports.later);
    this.#decider = setting.decider(this.#answers);
    this.#log = new DecisionLog({
      decider: this.#decider.decider,
      isShadow: setting.isShadow,
      write: session.log,
    });
    this.#isAsked = this.#decider.decider === "arbiter" || setting.explore !== undefined;
    if (!this.#isAsked) this.#state.transcript.stop();
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
   * A call went to the server.
   *
   * @param call The agent's call, or another interceptor's.
   * @param inTurn Calls of the agent's turn that wait, this one included; 0 for others' calls.
   */
  sent(call: ChainCall, inTurn: number): void {
    this.#words = undefined; // They go with the call.
    if (inTurn === 1) this.#isCounted = false;
    else if (inTurn > 1 && !this.#isCounted) {
      this.#isCounted = true;
      this.#state.parallelTurns++;
    }
    const tool = this.#names().toFlow(call.tool);
    // Nothing asks for the arguments of a tool that the flow does not know, but an oracle.
    const isRead = this.#isAsked || Object.hasOwn(this.#setting.flow.manifest.tools, tool);
    this.#state.send(call.name, tool, isRead ? call.arguments : {});
  }

  /**
   * A call was answered.
   *
   * @returns Where the flow may decide after it.
   */
  answered({ name, tool }: ChainCall, { error, content }: CallAnswer): Site {
    this.#settleWords();
    this.#state.answer(name, error, content);
    this.#state.forgetSteps();
    return { tool: this.#names().toFlow(tool), failed: error, steps: this.#state.stepsTo(name) };
  }

  /** Lookups do not fit into the result of a call, whose id is `after` as written. */
  leftOut(after: string, lookups: readonly LikelyLookup[]): void {
    countLeftOut(this.tally, lookups);
    if (lookups.length > 0) this.#log.leftOut({ after, lookups });
  }

  /** A call will get no answer. */
  dropped(id: string): void {
    this.#state.drop(id);
  }

  /**
   * Runs after calls of one turn, one after another.
   *
   * @param sites Where.
   * @param run What the runs share; what is found is added to it.
   * @returns Settles when all have handed back; undefined if they did at once, and found nothing.
   */
  run(sites: readonly FlowSite[], run: FlowRun): Promise<void> | undefined {
    if (!this.#names().isKnown) {
      if (!this.#saidForeign) {
        this.#ports.say("the flow knows no tool of this server: nothing is looked up");
      }
      this.#saidForeign = true;
      return undefined;
    }
    for (const [i, site] of sites.entries()) {
      if (run.isOver() || this.#ports.monotonicMs() >= run.endMs) break;
      const work = this.#after(site, run);
      if (work !== undefined) return work.then(() => this.run(sites.slice(i + 1), run));
    }
    return undefined;
  }

  #after({ after, site }: FlowSite, shared: FlowRun): Promise<void> | undefined {
    const { limits, explore } = this.#setting;
    const perCall = Math.max(0, (limits.perCall ?? PER_CALL) - shared.made);
    const steps = runFlow(this.#decider, this.#state, site, {
      ...limits,
      perCall,
      offers: (tool) => this.#names().toServer(tool) !== undefined,
      ...(explore === undefined ? {} : { amend: this.#amend }),
    }, this.#spent);
    this.#ports.wake();
    const began = this.#ports.monotonicMs();
    const walk = { after, site, perCall, steps, shared, began };
    return this.#goOn(walk, steps.next());
  }

  /** Replies to decisions until the run ends; a promise once a reply has to be waited for. */
  #goOn(walk: Walk, first: IteratorResult<FlowDecision, RunTrace>): Promise<void> | undefined {
    let step = first;
    while (!step.done) {
      const reply = this.#reply(step.value, walk);
      if (reply instanceof Promise) {
        return reply.then((reply) => this.#goOn(walk, walk.steps.next(reply)));
      }
      step = walk.steps.next(reply);
    }
    const { after, site, perCall } = walk;
    const { sites, fault } = step.value;
    if (fault !== undefined) this.#ports.say(`the flow's program cannot go on: ${fault}`);
    const call = { call: site.tool, failed: site.failed, maxLookups: perCall };
    this.#log.ended({ after, ...call, sites });
    return undefined;
  }

  /** What a run is told of a decision; a promise where an oracle or the server is asked. */
  #reply(decision: FlowDecision, walk: Walk): RunReply | Promise<RunReply> {
    const { action } = decision;
    const isAsked = action.kind === "hand_back" && action.reason === NO_ANSWER;
    if (isAsked) return this.#asked(decision, walk);
    const reply = action.kind === "lookup" && !this.#setting.isShadow
      ? this.#lookUp(decision, action, walk)
      : this.#logged(decision, walk);
    if (reply instanceof Promise) return reply.then((reply) => this.#replied(reply, walk));
    return this.#replied(reply, walk);
  }

  #replied(reply: RunReply, walk: Walk): RunReply {
    this.#ports.wake();
    walk.began = this.#ports.monotonicMs();
    return reply;
  }

  /** Asks the oracle for the answer that a hand back missed. */
  async #asked(decision: FlowDecision, walk: Walk): Promise<RunReply> {
    const missing = await this.#answers.ask(walk.shared.endMs - this.#ports.monotonicMs());
    if (missing === undefined) return "again";
    const reason = missing === "budget"
      ? "the session's question budget is spent"
      : `no answer from the oracle: ${missing}`;
    this.#logged({ ...decision, action: { kind: "hand_back", reason } }, walk);
    return this.#replied("withheld", walk);
  }

  #logged(decision: FlowDecision, walk: Walk): "withheld" {
    this.#log.decided(this.#entry(decision, walk));
    return "withheld";
  }

  #entry(decision: FlowDecision, { after, began }: Walk): DecisionEvent {
    const ms = this.#ports.monotonicMs() - began;
    return { after, decision, ms, said: this.#answers.said() };
  }

  /** Makes a lookup, unless it may not be made. */
  async #lookUp(decision: FlowDecision, lookup: Lookup, walk: Walk): Promise<RunReply> {
    const run = walk.shared;
    const tool = this.#names().toServer(lookup.tool);
    const refusal = tool === undefined ? undefined : await this.#refusal(tool, run.endMs);
    if (refusal !== undefined) this.#sayWithheld(lookup.tool, refusal);
    const withheld = refusal ?? (run.isOver() ? "nobody waits for it" : undefined);
    const entry = this.#entry(decision, walk);
    if (withheld !== undefined || tool === undefined) {
      this.#log.decided({ ...entry, withheld });
      return "withheld";
    }
    run.made++;
    this.tally.lookups++;
    const ms = Math.min(this.#setting.lookupMs, run.endMs - this.#ports.monotonicMs());
    const answer = await this.#ports.lookUp(tool, lookup.arguments, Math.max(1, ms));
    this.#log.decided({ ...entry, failed: failureOf(answer, ms) });
    if (answer.kind !== "answer" || answer.error) this.tally.failed++;
    else {
      this.tally.expected += worth(decision.best);
      const args = JSON.stringify(lookup.arguments);
      run.found.push({ tool, args, content: answer.content, chance: worth(decision.best) });
    }
    if (answer.kind === "refused") return "withheld";
    return answer.kind === "answer" ? answer : undefined;
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
    this.#log.policy = amended.policy;
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
