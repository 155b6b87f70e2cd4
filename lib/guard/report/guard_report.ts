/**
 * Formats the report of `hoist guards`, as Markdown and as JSON.
 *
 * @module
 */

import type { AskTally } from "./ask_tally.ts";
import type {
  CallFate,
  GuardExample,
  GuardTally,
  RuleTally,
  VerdictCounts,
} from "./guard_tally.ts";

/** The counts of one rule set over one domain's sessions. */
export interface GuardSection {
  readonly domain: string;
  /** The source of the rules: `shipped`, or a file. */
  readonly rules: string;
  readonly tally: GuardTally;
}

/** The most characters of arguments shown. */
const MAX_SHOWN = 160;

/**
 * Formats the report as Markdown.
 *
 * @param sections One section per domain.
 * @returns The text, without a final newline.
 */
export function guardMarkdown(sections: readonly GuardSection[]): string {
  const intro =
    "Every call of the agent, checked with what the session had shown when it was sent. " +
    "Counts are allow/refuse/unknown; only a refusal by an enforced rule stops a call.";
  return ["# Guards on recorded sessions", "", intro, ...sections.flatMap(section)].join("\n");
}

/** Formats the report as a JSON value. */
export function guardJson(sections: readonly GuardSection[]): unknown {
  return {
    hoist_guards_report: 1,
    domains: sections.map(({ domain, rules, tally }) => ({
      domain,
      rules_from: rules,
      sessions: tally.sessions,
      sessions_with_an_accepted_call_refused: tally.stopped,
      guarded_calls: counted(tally.guarded),
      refused_by_tool_caught_first: tally.caughtFirst,
      refused_in_the_session: tally.refusedThen,
      refusals_in_successful_sessions: tally.wrongRefusals,
      rules: tally.rules.map(({ rule, counts, sessions, examples }) => ({
        id: rule.id,
        mode: rule.isEnforced ? "enforce" : "log",
        policy: rule.cases.flatMap((part) => part.policy ?? []),
        accepted_in_successful: counts.successful,
        accepted_in_failed: counts.failed,
        refused_by_tool: counts.refusedByTool,
        sessions,
        examples: counted(examples),
      })),
      ...asksJson(tally.asks),
      faults: Object.fromEntries(tally.faults),
    })),
  };
}

function counted<T>(byFate: Readonly<Record<CallFate, T>>): Record<string, T> {
  const { successful, failed, refusedByTool } = byFate;
  return {
    accepted_in_successful: successful,
    accepted_in_failed: failed,
    refused_by_tool: refusedByTool,
  };
}

function section({ domain, rules, tally }: GuardSection): string[] {
  const { sessions, stopped, guarded } = tally;
  const row = (name: string, part: number, all: number) =>
    `| ${name} | ${part} of ${all} | ${all === 0 ? "-" : `${(100 * part / all).toFixed(2)} %`} |`;
  return [
    "",
    `## ${domain === "" ? "Sessions" : domain}`,
    "",
    `${tally.rules.length} rules (${rules}), ${
      tally.rules.filter((t) => t.rule.isEnforced).length
    } of them ` +
    `enforced. ${sessions.successful + sessions.failed} sessions.`,
    "",
    "| | | |",
    "|---|---|---|",
    row(
      "successful sessions with an accepted call that an enforced rule refuses",
      stopped.successful,
      sessions.successful,
    ),
    row("other sessions with one", stopped.failed, sessions.failed),
    row(
      "guarded calls that the tool refused, caught first",
      tally.caughtFirst,
      guarded.refusedByTool,
    ),
    ...(tally.refusedThen === 0
      ? []
      : [`| calls that guards refused in the session itself | ${tally.refusedThen} | |`]),
    "",
    "| rule | mode | accepted, successful | accepted, other | not accepted | sessions refused |",
    "|---|---|---|---|---|---|",
    ...tally.rules.map(ruleRow),
    ...examples("Refusals of enforced rules in successful sessions", tally.wrongRefusals),
    ...tally.rules.flatMap(ruleExamples),
    ...asks(tally.asks),
    ...notes(tally),
  ];
}

function ruleRow({ rule, counts, sessions }: RuleTally): string {
  const text = ({ allow, refuse, unknown }: VerdictCounts) => `${allow}/${refuse}/${unknown}`;
  return `| ${rule.id} | ${rule.isEnforced ? "enforce" : "log"} | ${text(counts.successful)} | ` +
    `${text(counts.failed)} | ${
      text(counts.refusedByTool)
    } | ${sessions.successful} + ${sessions.failed} |`;
}

function ruleExamples({ rule, examples: found }: RuleTally): string[] {
  return [
    ...(rule.isEnforced ? [] : examples(`${rule.id}: accepted, successful`, found.successful)),
    ...examples(`${rule.id}: accepted, other`, found.failed),
    ...examples(`${rule.id}: not accepted`, found.refusedByTool),
  ];
}

function examples(title: string, list: readonly GuardExample[]): string[] {
  if (list.length === 0) return [];
  return ["", `### ${title}`, "", ...list.map(exampleLine)];
}

function exampleLine(e: GuardExample): string {
  const shown = e.arguments.length > MAX_SHOWN
    ? `${e.arguments.slice(0, MAX_SHOWN)}…`
    : e.arguments;
  const code = `${e.tool} ${shown}`.replaceAll("`", "'").replaceAll("\n", " ");
  return `- \`${e.session}\` turn ${e.turn} (${e.agent}): \`${code}\`: ${e.reason} (${e.rules})`;
}

function asksJson({ rules, sessions, asking, calls, most }: AskTally) {
  if (rules.length === 0) return {};
  return { asked_of_a_person: { sessions, sessions_with_a_question: asking, calls, most, rules } };
}

/** How often a person would have been asked; nothing where no rule asks. */
function asks({ rules, sessions, asking, calls, most }: AskTally): string[] {
  if (rules.length === 0) return [];
  const mean = sessions === 0 ? "-" : (calls / sessions).toFixed(2);
  return [
    "",
    "### How often a person would be asked",
    "",
    `${mean} questions a session: ${calls} in ${asking} of ${sessions} sessions, ${most} at most ` +
    "in one. A call that an enforced rule refuses is not asked about.",
    "",
    "| rule | mode | calls | sessions |",
    "|---|---|---|---|",
    ...rules.map(({ id, isEnforced, calls, sessions }) =>
      `| ${id} | ${isEnforced ? "enforce" : "log"} | ${calls} | ${sessions} |`
    ),
  ];
}

/** Hints for the author of a rule file: rules that never decided, and faults. */
function notes({ rules, asks, faults }: GuardTally): string[] {
  const asked = new Set(asks.rules.filter(({ calls }) => calls > 0).map(({ id }) => id));
  const idle = rules.filter(({ rule, counts }) =>
    !asked.has(rule.id) &&
    Object.values(counts).every(({ allow, refuse }) => allow + refuse === 0)
  ).map(({ rule }) => rule.id);
  const lines = [
    ...(idle.length === 0 ? [] : [`- These rules never decided: ${idle.join(", ")}.`]),
    ...[...faults].map(([fault, n]) => `- Counted as unknown ${n} times: ${fault}.`),
  ];
  return lines.length === 0 ? [] : ["", "### Worth a look", "", ...lines];
}
