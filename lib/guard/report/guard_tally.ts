/**
 * Counts the verdicts of rules over recorded sessions.
 *
 * A call counts once per rule, by its fate: accepted in a successful session
 * (reward 1), accepted in another session, or refused by the tool. A call that
 * guards refused in the session has the last fate, but does not count as caught
 * first. A call without an answer is not counted.
 *
 * @module
 */

import { jsonText } from "../../json/json.ts";
import type { Rule } from "../rules/rule.ts";
import { isRefusalText, type Ruling } from "../check.ts";
import type { RuleSet } from "../rules/compile_rules.ts";
import { AskTally } from "./ask_tally.ts";
import type { CheckedCall, CheckedEpisode } from "./check_episode.ts";

/** How a recorded call ended. */
export type CallFate = "successful" | "failed" | "refusedByTool";

/** The number of each verdict of a rule. */
export interface VerdictCounts {
  allow: number;
  refuse: number;
  unknown: number;
}

/** A refusal shown in the report. */
export interface GuardExample {
  readonly session: string;
  readonly task: string;
  readonly agent: string;
  readonly turn: number;
  readonly tool: string;
  readonly arguments: string;
  /** Rule ids, joined. */
  readonly rules: string;
  readonly reason: string;
}

/** The counts of one rule. */
export interface RuleTally {
  readonly rule: Rule;
  readonly counts: Readonly<Record<CallFate, VerdictCounts>>;
  /** Sessions with an accepted call that the rule refuses. */
  readonly sessions: { successful: number; failed: number };
  readonly examples: Readonly<Record<CallFate, GuardExample[]>>;
}

/** The most examples kept per rule and fate. */
const MAX_EXAMPLES = 5;

/** Counts checked sessions. */
export class GuardTally {
  readonly rules: readonly RuleTally[];
  readonly sessions = { successful: 0, failed: 0 };
  /** Sessions with an accepted call that an enforced rule refuses. */
  readonly stopped = { successful: 0, failed: 0 };
  /** Calls that an enforced rule applies to, by fate. */
  readonly guarded: Record<CallFate, number> = { successful: 0, failed: 0, refusedByTool: 0 };
  /** Calls refused by the tool that an enforced rule would have refused first. */
  caughtFirst = 0;
  /** Calls that guards or the judge refused during the session. */
  refusedThen = 0;
  /** Every accepted call of a successful session that an enforced rule refuses. */
  readonly wrongRefusals: GuardExample[] = [];
  /** Faults of rules and tables, with their number. */
  readonly faults = new Map<string, number>();
  /** How often a person would have been asked. */
  readonly asks: AskTally;
  readonly #byRule: ReadonlyMap<Rule, RuleTally>;

  /**
   * Starts with no session.
   *
   * @param rules The rules.
   */
  constructor(ruleSet: RuleSet) {
    const { rules } = ruleSet;
    this.asks = new AskTally(ruleSet);
    this.rules = rules.map((rule) => ({
      rule,
      counts: { successful: zero(), failed: zero(), refusedByTool: zero() },
      sessions: { successful: 0, failed: 0 },
      examples: { successful: [], failed: [], refusedByTool: [] },
    }));
    this.#byRule = new Map(this.rules.map((tally) => [tally.rule, tally]));
  }

  /** Adds a session. */
  add(session: CheckedEpisode): void {
    const { episode, calls, faults } = session;
    this.asks.add(session);
    const outcome = episode.reward >= 1 ? "successful" : "failed";
    this.sessions[outcome]++;
    for (const fault of faults) this.#fault(fault);
    const refusing = new Set<Rule>();
    for (const checked of calls) {
      const { answer } = checked.call;
      if (answer === undefined) continue;
      const fate = answer.error ? "refusedByTool" : outcome;
      for (const ruling of checked.rulings) {
        this.#count(ruling, fate, () => example(episode, checked, [ruling]));
        if (ruling.verdict.kind === "refuse" && !answer.error) refusing.add(ruling.rule);
      }
      if (answer.error && isRefusalText(answer.content)) this.refusedThen++;
      else this.#guarded(checked, fate, (refused) => example(episode, checked, refused));
    }
    for (const rule of refusing) {
      const tally = this.#byRule.get(rule);
      if (tally !== undefined) tally.sessions[outcome]++;
    }
    if ([...refusing].some((rule) => rule.isEnforced)) this.stopped[outcome]++;
  }

  #count({ rule, verdict }: Ruling, fate: CallFate, show: () => GuardExample): void {
    const tally = this.#byRule.get(rule);
    if (tally === undefined) return;
    // What a person decides has a count of its own.
    if (verdict.kind !== "approve") tally.counts[fate][verdict.kind]++;
    if (verdict.kind === "unknown" && verdict.fault !== undefined) {
      this.#fault(`rule "${rule.id}": ${verdict.fault}`);
    }
    if (verdict.kind === "refuse" && tally.examples[fate].length < MAX_EXAMPLES) {
      tally.examples[fate].push(show());
    }
  }

  #guarded(
    { rulings }: CheckedCall,
    fate: CallFate,
    show: (refused: readonly Ruling[]) => GuardExample,
  ): void {
    const enforced = rulings.filter(({ rule }) => rule.isEnforced);
    if (enforced.length === 0) return;
    this.guarded[fate]++;
    const refused = enforced.filter(({ verdict }) => verdict.kind === "refuse");
    if (refused.length === 0) return;
    if (fate === "refusedByTool") this.caughtFirst++;
    if (fate === "successful") this.wrongRefusals.push(show(refused));
  }

  #fault(fault: string): void {
    this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
  }
}

function zero(): VerdictCounts {
  return { allow: 0, refuse: 0, unknown: 0 };
}

function example(
  episode: CheckedEpisode["episode"],
  { call }: CheckedCall,
  refused: readonly Ruling[],
): GuardExample {
  return {
    session: episode.id,
    task: episode.task_id,
    agent: episode.agent_model,
    turn: call.turn + 1,
    tool: call.name,
    arguments: jsonText(call.arguments),
    rules: refused.map(({ rule }) => rule.id).join(", "),
    reason: refused.map(({ verdict }) => verdict.kind === "refuse" ? verdict.reason : "").join(
      "; ",
    ),
  };
}
