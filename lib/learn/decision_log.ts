/**
 * The decisions an arbiter was fitted on, a line each, for whoever wants to look at them
 * or fit another one.
 *
 * @module
 */

import { optionFeatures, pickOf, ratesAt } from "../flow/deciding/arbiter.ts";
import type { Arbiter } from "../flow/arbiter_file.ts";
import { judgementOf } from "../flow/deciding/flow_question.ts";
import type { OracleResponse } from "../oracle/oracle.ts";
import type { ArbiterCase } from "./arbiter_cases.ts";

/**
 * Writes the decisions that have an answer.
 *
 * @param cases The held-out decisions.
 * @param responseTo The answer to a decision's question; undefined when there is none.
 * @param known The domain, and the arbiter that was fitted on them.
 * @returns One line of JSON each, without its end.
 */
export function decisionLog(
  cases: readonly ArbiterCase[],
  responseTo: (c: ArbiterCase) => OracleResponse | undefined,
  { domain, arbiter }: { readonly domain: string; readonly arbiter: Arbiter },
): string[] {
  return cases.flatMap((c) => {
    const response = responseTo(c);
    const fold = arbiter.folds[c.fold];
    if (response === undefined || fold === undefined) return [];
    const judgement = judgementOf(c.question, response, c);
    const { reliability } = ratesAt(fold, judgement.site);
    const options = [...judgement.lookups, c.question.handBack];
    const by = (chances: readonly number[]) =>
      Object.fromEntries(options.map((option, i) => [option, chances[i] ?? 0]));
    return [JSON.stringify({
      domain,
      task: c.task,
      episode: c.episode,
      site: c.site,
      options,
      agent: c.taken === undefined ? null : options[c.taken],
      pick: options[pickOf(judgement)],
      choice: by(judgement.choice),
      split: by(judgement.split),
      predicates: Object.fromEntries(judgement.predicates),
      features: optionFeatures(judgement, arbiter.weighed, reliability),
    })];
  });
}
