/**
 * Formats the report of `hoist confirm`, as Markdown and as JSON.
 *
 * @module
 */

import type { ConfirmCounts, ConfirmExample, ConfirmTally, Disagreement } from "./confirm_tally.ts";
import { DISAGREEMENTS } from "./confirm_tally.ts";
import type { CallFate } from "./guard_tally.ts";
import type { JudgeRule } from "../judge/judge_verdict.ts";

/** The judgements of one domain's writes. */
export interface ConfirmSection {
  readonly domain: string;
  /** The source of the rules: `shipped`, or a file. */
  readonly rules: string;
  readonly tally: ConfirmTally;
}

/** The model that was asked, and the settings. */
export interface ConfirmTitle {
  readonly model: string;
  readonly rule: JudgeRule;
}

const FATES: Readonly<Record<CallFate, string>> = {
  successful: "accepted, successful",
  failed: "accepted, other",
  refusedByTool: "not accepted",
};

/** The most characters shown of a message or of arguments. */
const MAX_SHOWN = 200;

/**
 * Formats the report as Markdown.
 *
 * @param sections One section per domain.
 * @param title The model and the settings.
 * @returns The text, without a final newline.
 */
export function confirmMarkdown(sections: readonly ConfirmSection[], title: ConfirmTitle): string {
  const { model, rule: { threshold, second } } = title;
  const also = second === undefined ? "" : `, and whether the agent had ${second.wording} it`;
  return [
    "# Confirmations on recorded sessions",
    "",
    `Every write that needs a confirmation and that rules let pass: ${model} was asked whether the ` +
    `customer agreed to it${also}. A write fails below ${threshold}` +
    `${second?.isShadow === true ? ", on the first answer alone" : ""}.`,
    ...sections.flatMap((s) => section(s, title)),
  ].join("\n");
}

/** Formats the report as a JSON value. */
export function confirmJson(sections: readonly ConfirmSection[], title: ConfirmTitle): unknown {
  const { model, rule } = title;
  return {
    hoist_confirm_report: 1,
    model,
    threshold: rule.threshold,
    second_question: rule.second?.wording ?? null,
    second_shadow: rule.second?.isShadow ?? null,
    domains: sections.map(({ domain, rules, tally }) => ({
      domain,
      rules_from: rules,
      sessions: tally.sessions,
      refused_by_a_rule_first: tally.guarded,
      without_a_conversation: tally.unheard,
      writes: {
        accepted_in_successful: countsJson(tally.counts.successful),
        accepted_in_failed: countsJson(tally.counts.failed),
        not_accepted: countsJson(tally.counts.refusedByTool),
      },
      examples: {
        only_judge: tally.examples.onlyJudge,
        only_word_list: tally.examples.onlyWordList,
      },
    })),
  };
}

function countsJson(counts: ConfirmCounts): unknown {
  return {
    writes: counts.writes,
    word_list_fails: counts.wordList,
    judged: counts.answered,
    judge_fails: counts.fails,
    first_below: counts.first,
    second_below: counts.second,
    disagree: counts.disagree,
    proposal_check_flags: counts.otherChoice,
  };
}

function section(
  { domain, rules, tally }: ConfirmSection,
  { rule: { second } }: ConfirmTitle,
): string[] {
  const share = (part: number, all: number) =>
    all === 0 ? "-" : `${part} of ${all} (${(100 * part / all).toFixed(1)} %)`;
  const row = (fate: CallFate) => {
    const c = tally.counts[fate];
    const columns = [
      FATES[fate],
      share(c.wordList, c.writes),
      share(c.fails, c.answered),
      ...(second === undefined ? [] : [String(c.first), String(c.second)]),
      String(c.disagree),
      share(c.otherChoice, c.writes),
    ];
    return `| ${columns.join(" | ")} |`;
  };
  const heads = [
    "writes",
    "word list fails",
    "judge fails",
    ...(second === undefined ? [] : ["by the first answer", "by the second"]),
    "judged otherwise",
    "another was chosen",
  ];
  return [
    "",
    `## ${domain === "" ? "Sessions" : domain}`,
    "",
    `${tally.sessions} sessions, rules ${rules}. Left out: ${tally.guarded} writes that a rule ` +
    `refuses first, ${tally.unheard} without a conversation.`,
    "",
    `| ${heads.join(" | ")} |`,
    `|${heads.map(() => "---").join("|")}|`,
    ...(["successful", "failed", "refusedByTool"] as const).map(row),
    ...(["onlyJudge", "onlyWordList"] as const).flatMap((kind) => examples(kind, tally)),
  ];
}

function examples(kind: Disagreement, { examples: kept }: ConfirmTally): string[] {
  if (kept[kind].length === 0) return [];
  const name = DISAGREEMENTS[kind];
  return ["", `### ${name[0]?.toUpperCase()}${name.slice(1)}`, "", ...kept[kind].flatMap(example)];
}

function example(e: ConfirmExample): string[] {
  const p = (value: number | null) => value === null ? "" : ` ${value.toFixed(2)}`;
  return [
    `- \`${e.session}\` turn ${e.turn} (${e.agent}), ${FATES[e.fate]}, p_yes${p(e.first)}` +
    `${e.second === null ? "" : `, p_second${p(e.second)}`}: \`${
      shown(`${e.tool} ${e.arguments}`)
    }\``,
    `  - agent: "${shown(e.proposal, true)}"`,
    `  - customer: "${shown(e.reply)}"`,
  ];
}

/** Cuts a text to one line of at most 200 characters, at its start when `isEnd`, else at its end. */
function shown(text: string, isEnd = false): string {
  const line = text.replaceAll("`", "'").replace(/\s+/g, " ").trim();
  if (line.length <= MAX_SHOWN) return line;
  return isEnd ? `…${line.slice(-MAX_SHOWN)}` : `${line.slice(0, MAX_SHOWN)}…`;
}
