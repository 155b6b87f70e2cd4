/**
 * Counts how often a person would have been asked in recorded sessions.
 *
 * A call is asked about once, whatever the number of rules that want it, and only where no
 * enforced rule refuses it.
 *
 * @module
 */

import { refusalText, type Ruling, wantedApprovals } from "../check.ts";
import type { RuleSet } from "../rules/compile_rules.ts";
import type { CheckedEpisode } from "./check_episode.ts";

/** The questions of one rule. */
export interface RuleAsks {
  readonly id: string;
  readonly isEnforced: boolean;
  calls: number;
  sessions: number;
}

/** Counts the questions of sessions. */
export class AskTally {
  /** One entry for each rule that asks; none where no rule does. */
  readonly rules: readonly RuleAsks[];
  /** Sessions. */
  sessions = 0;
  /** Sessions in which a person would have been asked. */
  asking = 0;
  /** Calls that a person would have been asked about. */
  calls = 0;
  /** The most of them in one session. */
  most = 0;
  readonly #byId: ReadonlyMap<string, RuleAsks>;

  /** Starts with no session. */
  constructor({ rules }: RuleSet) {
    this.rules = rules.filter(({ cases }) => cases.some(({ approve }) => approve !== undefined))
      .map(({ id, isEnforced }) => ({ id, isEnforced, calls: 0, sessions: 0 }));
    this.#byId = new Map(this.rules.map((rule) => [rule.id, rule]));
  }

  /** Adds a session. */
  add({ calls }: CheckedEpisode): void {
    this.sessions++;
    let asked = 0;
    const rules = new Set<string>();
    for (const { call, rulings } of calls) {
      if (refusalText(call.name, rulings) !== undefined) continue;
      if (wantedApprovals(rulings).length > 0) asked++;
      for (const id of asking(rulings)) {
        rules.add(id);
        const rule = this.#byId.get(id);
        if (rule !== undefined) rule.calls++;
      }
    }
    for (const id of rules) {
      const rule = this.#byId.get(id);
      if (rule !== undefined) rule.sessions++;
    }
    this.calls += asked;
    this.most = Math.max(this.most, asked);
    if (asked > 0) this.asking++;
  }
}

/** The rules that want a person's yes, logged ones too. */
function asking(rulings: readonly Ruling[]): string[] {
  return rulings.flatMap(({ rule, verdict }) => verdict.kind === "approve" ? [rule.id] : []);
}
