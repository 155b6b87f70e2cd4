/**
 * `hoist evaluate`: estimates the results of other decision rules from logged decisions.
 *
 * @module
 */

import { type LabelledDecision, readLabelled } from "../../evaluate/labelled_line.ts";
import {
  evaluateRule,
  type Evaluation,
  METRICS,
  type TargetRule,
} from "../../evaluate/off_policy.ts";
import { commandOf, numberFlag, type Run, UsageError } from "../../cli/command.ts";
import type { FlagTable } from "../../flags/flags.ts";
import { labelledSessions } from "../sessions/labelled_sessions.ts";
import type { FlowLogStore } from "../../ports/files.ts";
import { writeReport } from "../../cli/write_report.ts";

/** Where decisions are. */
interface LogPorts {
  readonly files: FlowLogStore;
}

/** The table of `hoist evaluate`. */
export const EVALUATE_FLAGS: FlagTable = {
  program: "hoist evaluate",
  summary: "Estimates the results of other thresholds or deciders, from labelled decisions.",
  examples: ["hoist evaluate --decisions labelled.jsonl --target habit@0.5"],
  usage: [
    "--decisions FILE --target [NAME=]DECIDER@THRESHOLD [OPTIONS]",
    "--sessions DIR --target [NAME=]DECIDER@THRESHOLD [OPTIONS]",
  ],
  flags: [
    {
      name: "decisions",
      value: "FILE",
      repeat: true,
      help: "Labelled decisions, as hoist replay --decisions writes them.",
    },
    {
      name: "sessions",
      value: "DIR",
      help:
        "Session logs with flow logs beside them: their decisions, labelled by what the agent did. " +
        "Only decisions logged in shadow and with a policy count.",
    },
    {
      name: "target",
      value: "[NAME=]DECIDER@P",
      repeat: true,
      help: "A rule: `logged` (the probabilities that were logged) or `habit`, and its threshold.",
    },
    {
      name: "min-ess",
      value: "N",
      help: "Below this effective sample size weighted estimates are refused. Default: 10.",
    },
    { name: "out", value: "FILE", help: "Write the report there instead of on stdout." },
    { name: "json", value: "FILE", help: "Also write the numbers." },
  ],
  notes: [
    "Two of three lookups follow another lookup, which another rule might not have made. Compare\n" +
    "thresholds of one decider; distrust the detours of another decider; never read spared turns as\n" +
    "turns saved.",
    "Exit status: 0 done; 1 a file cannot be read or written; 2 wrong usage.",
  ],
};

/** Runs `hoist evaluate`. */
export const evaluateCommand = commandOf(EVALUATE_FLAGS, evaluate);

async function evaluate(run: Run<LogPorts>): Promise<number> {
  const { values } = run;
  const targets = values.all("target").map(targetOf);
  if (targets.length === 0) throw new UsageError("Missing --target");
  const sessions = values.get("sessions");
  if (values.all("decisions").length === 0 && sessions === undefined) {
    throw new UsageError("Missing input: --decisions FILE or --sessions DIR");
  }
  const minEss = numberFlag(values, "min-ess", { min: 0, max: Infinity }) ?? 10;
  const decisions = await decisionsOf(run);
  if (decisions.length === 0) throw new Error("Cannot evaluate: there are no labelled decisions");
  const sites = [...new Set(decisions.map((d) => d.site))].sort();
  const results = targets.map((rule) => ({
    rule,
    all: evaluateRule(decisions, rule),
    sites: sites.map((site) => ({
      site,
      ...evaluateRule(decisions.filter((d) => d.site === site), rule, decisions),
    })),
  }));
  await writeReport({
    text: evaluationMarkdown(decisions.length, results, minEss),
    json: { min_ess: minEss, targets: results },
  }, run);
  return 0;
}

/** The decisions of every input that the command line names. */
async function decisionsOf({ values, runtime, files }: Run<LogPorts>): Promise<LabelledDecision[]> {
  const decisions: LabelledDecision[] = [];
  for (const path of values.all("decisions")) {
    decisions.push(...readLabelled(await files.readText(path), path));
  }
  const sessions = values.get("sessions");
  if (sessions !== undefined) {
    const labelled = await labelledSessions(sessions, files);
    for (const note of labelled.notes) runtime.say(note);
    decisions.push(...labelled.decisions);
  }
  return decisions;
}

interface RuleResult {
  readonly rule: TargetRule;
  readonly all: Evaluation;
  readonly sites: readonly (Evaluation & { readonly site: string })[];
}

function evaluationMarkdown(
  count: number,
  results: readonly RuleResult[],
  minEss: number,
): string {
  return [
    `# Off-policy evaluation of ${count} decisions`,
    "",
    "Estimates are sums over the decisions. Two of three lookups follow another lookup, which another " +
    "rule might not have made: compare thresholds of one decider, distrust the detours of another, and " +
    "never read spared turns as turns saved.",
    ...results.flatMap(({ rule, all, sites }) => [
      "",
      `## ${rule.name}`,
      "",
      "| site | metric | direct | IPS ± SE | self-normalised | doubly robust ± SE | effective sample | no support |",
      "|---|---|---|---|---|---|---|---|",
      ...rows("all", all, minEss),
      ...sites.flatMap((s) => rows(s.site, s, minEss)),
    ]),
  ].join("\n");
}

function targetOf(text: string): TargetRule {
  const [, name, decider, at] = /^(?:([^=]+)=)?([a-z]+)@([\d.]+)$/.exec(text) ?? [];
  const threshold = Number(at);
  if ((decider !== "logged" && decider !== "habit") || !(threshold >= 0 && threshold <= 1)) {
    throw new UsageError(`--target needs logged@P or habit@P with P from 0 to 1, not "${text}"`);
  }
  return { name: name ?? text, decider, threshold };
}

function rows(site: string, { metrics, ess, unsupported }: Evaluation, minEss: number): string[] {
  if (metrics.lookups.direct === 0) return [];
  return METRICS.map((metric) => {
    const { direct, ips, snips, dr } = metrics[metric];
    const refused = ess < minEss;
    const pm = (e: { value: number; error: number }) =>
      refused ? "refused" : `${e.value.toFixed(1)} ± ${e.error.toFixed(1)}`;
    return `| ${site} | ${metric} | ${direct.toFixed(1)} | ${pm(ips)} | ${
      refused ? "refused" : snips.toFixed(1)
    } | ` +
      `${pm(dr)} | ${ess.toFixed(1)} | ${unsupported} |`;
  });
}
