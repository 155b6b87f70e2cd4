/**
 * The page of `hoist prove`: what a flow, and guards, would have done in a user's own sessions.
 *
 * @module
 */

import { escaped, page, table } from "../text/html_page.ts";
import { printable } from "../text/printable.ts";

/** A value with its 95 % interval. */
export interface SavingsEstimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** What was found. */
export interface SavingsProof {
  readonly dir: string;
  /** Sessions with calls, and those without. */
  readonly sessions: number;
  readonly empty: number;
  /** Turns of the model, and those that perfect lookups would spare. */
  readonly turns: number;
  readonly bound: number;
  /** Turns saved as a share of all, and detours a session; undefined where there are too few. */
  readonly flow: {
    readonly saved: SavingsEstimate;
    readonly detours: SavingsEstimate;
    /** Turns saved in all, less what the detours cost. */
    readonly net: number;
  } | undefined;
  /** Lookups that agents would have used, by tool, the most used first. */
  readonly lookups: readonly {
    readonly tool: string;
    readonly used: number;
    /** Results too long for a host that is not known, and for every host that was measured. */
    readonly tooLongForUnknown: number;
    readonly tooLongForAll: number;
  }[];
  /** What rules would have refused; undefined where none were given. */
  readonly guards: {
    readonly rules: string;
    readonly calls: number;
    readonly refused: readonly { readonly rule: string; readonly calls: number }[];
  } | undefined;
  /** The lines that switch it on. */
  readonly commands: readonly string[];
}

/** Sessions below which nothing is said. */
export const FEWEST_SESSIONS = 10;

/** What is to be said first. */
export function proofVerdict({ flow, sessions }: SavingsProof): string {
  if (flow === undefined) {
    return `Too few sessions to say: ${sessions} with calls, and ${FEWEST_SESSIONS} are needed.`;
  }
  if (flow.saved.low <= 0 || flow.net <= 0) {
    return "Nothing to gain here: a flow learned from these sessions would save no turns worth its lookups.";
  }
  return `A flow would save ${percent(flow.saved)} of the model's turns, at ${
    number(flow.detours)
  } lookups a session that nobody needed.`;
}

const percent = ({ value, low, high }: SavingsEstimate) =>
  `${(100 * value).toFixed(1)} % (${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)})`;
const number = ({ value, low, high }: SavingsEstimate) =>
  `${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;

/** Whether a flow is worth switching on. */
function pays(proof: SavingsProof): boolean {
  return proofVerdict(proof).startsWith("A flow would save");
}

const HOW = "Each session was replayed under a flow learned from the others, in five folds. " +
  "Intervals are 95 %, bootstrapped over tasks.";
const NO_MODEL =
  "A flow that is learned so decides by counts: it would have sent nothing to a model.";

/** The page as Markdown, without a final newline. */
export function proofMarkdown(proof: SavingsProof): string {
  const { lookups, guards, commands } = proof;
  const lines = [
    `# What Hoist would do with ${printable(proof.dir)}`,
    "",
    proofVerdict(proof),
    "",
    `${proof.sessions} sessions with calls and ${proof.empty} without, ${proof.turns} turns of the model, ` +
    `of which perfect lookups would spare ${proof.bound}.`,
  ];
  if (proof.flow !== undefined) lines.push("", HOW, NO_MODEL);
  if (lookups.length > 0) {
    lines.push(
      "",
      "| lookup | used | too long for an unknown host | too long for every host |",
      "|---|---|---|---|",
      ...lookups.map((row) =>
        `| ${cell(row.tool)} | ${row.used} | ${row.tooLongForUnknown} | ${row.tooLongForAll} |`
      ),
    );
  }
  lines.push("", ...guardLines(guards));
  if (pays(proof)) lines.push("", "To switch it on:", "", ...commands.map((line) => `    ${line}`));
  return lines.join("\n");
}

function guardLines(guards: SavingsProof["guards"]): string[] {
  if (guards === undefined) {
    return ["No rules were given: --guards FILE shows what they would refuse."];
  }
  const { rules, calls, refused } = guards;
  if (refused.length === 0) {
    return [`The rules of ${printable(rules)} would have refused none of ${calls} calls.`];
  }
  return [
    `The rules of ${printable(rules)} would have refused, of ${calls} calls:`,
    "",
    "| rule | calls |",
    "|---|---|",
    ...refused.map(({ rule, calls }) => `| ${cell(rule)} | ${calls} |`),
  ];
}

function cell(text: string): string {
  return printable(text).replaceAll("|", "\\|");
}

/** The page as HTML. */
export function proofHtml(proof: SavingsProof): string {
  const { flow, lookups, guards, commands } = proof;
  return page({
    title: `What Hoist would do with ${printable(proof.dir)}`,
    lead: proofVerdict(proof),
    figures: [
      ["sessions with calls", String(proof.sessions)],
      ["turns of the model", String(proof.turns)],
      ["perfect lookups would spare", String(proof.bound)],
      ...(flow === undefined ? [] : [
        ["turns saved", percent(flow.saved)],
        ["detours a session", number(flow.detours)],
      ] as const),
    ],
    sections: [
      ...(flow === undefined ? [] : [{ heading: "How", body: `<p>${HOW} ${NO_MODEL}</p>` }]),
      {
        heading: "Lookups that agents would have used",
        body: table(
          ["tool", "used", "too long for an unknown host", "too long for every host"],
          lookups.map((row) => [
            printable(row.tool),
            String(row.used),
            String(row.tooLongForUnknown),
            String(row.tooLongForAll),
          ]),
        ),
      },
      {
        heading: "Guards",
        body: guards === undefined || guards.refused.length === 0
          ? `<p>${escaped(guardLines(guards).join(" "))}</p>`
          : `<p>${escaped(guardLines(guards)[0] ?? "")}</p>` +
            table(
              ["rule", "calls"],
              guards.refused.map(({ rule, calls }) => [printable(rule), String(calls)]),
            ),
      },
      ...(pays(proof)
        ? [{ heading: "To switch it on", body: `<pre>${commands.map(escaped).join("\n")}</pre>` }]
        : []),
    ],
  });
}
