/**
 * Guards as the library shows them: rules, and their verdicts on recorded or planned calls.
 *
 * @module
 */

import type { JsonObject } from "../../json/json.ts";
import type { Call } from "../../trace/calls.ts";
import type { Episode } from "../../trace/episode.ts";
import { checkCall, type Ruling } from "../check.ts";
import { Facts } from "../facts.ts";
import { checkEpisode } from "./check_episode.ts";
import { splitName, walkEpisode } from "./walk_episode.ts";
import type { RuleSet } from "../rules/compile_rules.ts";

/** The verdict of one rule on one call. */
export interface GuardVerdict {
  /** The id of the rule. */
  readonly rule: string;
  /**
   * `approve`: a person has to say yes first. `unknown`: the session lacks a fact that the rule
   * needs, or only a model can decide.
   */
  readonly verdict: "allow" | "refuse" | "approve" | "unknown";
  /** Why the rule refuses or asks; undefined for other verdicts. */
  readonly reason: string | undefined;
  /** Whether a refusal stops the call. A rule that is not enforced only reports. */
  readonly isEnforced: boolean;
}

/** A recorded call with its verdicts. */
export interface GuardedRecord {
  /** The call. */
  readonly call: Call;
  /** The verdict of each rule for its tool. */
  readonly verdicts: readonly GuardVerdict[];
}

/** A call that has not been made yet. */
export interface PlannedCall {
  /** The tool's name. */
  readonly name: string;
  /** Its arguments. */
  readonly arguments: JsonObject;
}

/**
 * Policy rules for tool calls.
 *
 * @example Check a call before it is made
 * ```ts
 * import { episode, Guards, readLog } from "@hoist/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const guards = await Guards.parse(`{
 *   "hoist_guards": 1,
 *   "rules": [{
 *     "id": "small-refunds",
 *     "for": ["refund"],
 *     "refuse": "args.amount > 100",
 *     "because": "refunds above 100 need a person",
 *     "mode": "enforce"
 *   }]
 * }`);
 * const ep = episode(await readLog("testdata/sessions/v2/shop.jsonl"));
 *
 * const [verdict] = guards.check({ name: "refund", arguments: { amount: 250 } }, ep);
 * assertEquals(verdict?.verdict, "refuse");
 * assertEquals(verdict?.reason, "refunds above 100 need a person");
 * ```
 */
export class Guards {
  /** The ids of the rules, in file order. */
  readonly rules: readonly string[];
  readonly #rules: RuleSet;

  private constructor(rules: RuleSet) {
    this.#rules = rules;
    this.rules = rules.rules.map((rule) => rule.id);
  }

  /**
   * Reads a rule file, JSON or YAML.
   *
   * @param text The text of the file.
   * @param path The name of the file, for error messages.
   * @returns The guards.
   * @throws {Error} When a rule cannot be used; names the rule and the place.
   */
  static async parse(text: string, path = "the rules"): Promise<Guards> {
    const { openGuardRules } = await import("../rules/open_rules.ts");
    return new Guards(await openGuardRules(text, path));
  }

  /**
   * Checks a planned call against the facts of a session.
   *
   * @param call The call.
   * @param episode The session before the call.
   * @returns The verdict of each rule for its tool; empty when there is none.
   */
  check(call: PlannedCall, episode: Episode): GuardVerdict[] {
    const { server, tool } = splitName(call.name);
    const servers = walkEpisode(this.#rules, episode, {});
    const facts = servers.get(server) ?? new Facts(this.#rules);
    return checkCall(this.#rules, { tool, arguments: call.arguments }, facts).map(verdictOf);
  }

  /**
   * Checks every call of a recorded session with the facts of its moment, as the proxy does.
   *
   * @param episode The session.
   * @returns The agent's calls in sending order. A flow's lookups are not checked.
   */
  checkEpisode(episode: Episode): GuardedRecord[] {
    return checkEpisode(this.#rules, episode).calls.map(({ call, rulings }) => {
      const { id, name, arguments: args, by } = call;
      return { call: { id, name, arguments: args, by }, verdicts: rulings.map(verdictOf) };
    });
  }
}

function verdictOf({ rule, verdict }: Ruling): GuardVerdict {
  return {
    rule: rule.id,
    verdict: verdict.kind,
    reason: "reason" in verdict ? verdict.reason : undefined,
    isEnforced: rule.isEnforced,
  };
}
