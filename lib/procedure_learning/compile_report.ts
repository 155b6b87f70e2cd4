/**
 * Formats the report on a learned procedure as Markdown: its trials on held-out
 * tasks, in sum and leaf by leaf.
 *
 * @module
 */

import type { LearnedProcedure, TriedDepth } from "./learn_procedure.ts";
import type { Trial } from "./trial.ts";

/** Counts over trials. */
export interface TrialCounts {
  readonly tasks: number;
  readonly resolved: number;
  readonly handedBack: number;
  readonly wrong: number;
  readonly unanswered: number;
  readonly writes: number;
  readonly wrongWrites: number;
}

/** Counts trials. */
export function countTrials(trials: readonly Trial[]): TrialCounts {
  const of = (outcome: Trial["outcome"]) => trials.filter((t) => t.outcome === outcome).length;
  return {
    tasks: trials.length,
    resolved: of("resolved"),
    handedBack: of("handed_back"),
    wrong: of("wrong"),
    unanswered: of("unanswered"),
    writes: trials.reduce((sum, t) => sum + t.writes, 0),
    wrongWrites: trials.reduce((sum, t) => sum + t.wrongWrites, 0),
  };
}

/**
 * Formats the report.
 *
 * @param learned The learned procedure.
 * @param tasks The number of tasks it was learned from.
 * @returns The report as Markdown.
 */
export function compileReport(
  { depth, heldOut, tried }: LearnedProcedure,
  tasks: number,
): string {
  const counts = countTrials(heldOut);
  const share = (n: number) => `${n} (${(100 * n / Math.max(1, counts.tasks)).toFixed(1)} %)`;
  const lines = [
    `# A procedure from ${tasks} tasks`,
    "",
    `Questions on the way to a leaf: at most ${depth}, the best of those tried in five-fold ` +
    "cross-validation over tasks. On the held-out tasks:",
    "",
    "| outcome | tasks |",
    "|---|---|",
    `| resolved | ${share(counts.resolved)} |`,
    `| handed back | ${share(counts.handedBack)} |`,
    `| wrong | ${share(counts.wrong)} |`,
    ...counts.unanswered > 0 ? [`| no recorded answer | ${share(counts.unanswered)} |`] : [],
    "",
    `Writes: ${counts.writes} made, ${counts.wrongWrites} wrong.`,
    "",
    "The same for every depth that was tried:",
    "",
    ...depthTable(tried),
  ];
  const leaves = leafRows(heldOut);
  if (leaves.length === 0) {
    return [
      ...lines,
      "",
      "No leaf writes or stops: no rule held on the held-out tasks. The procedure makes its reads " +
      "and hands back.",
    ].join("\n");
  }
  return [
    ...lines,
    "",
    "Leaves that decided (coverage: the tasks that reached them):",
    "",
    "| leaf | action | coverage | right |",
    "|---|---|---|---|",
    ...leaves,
  ].join("\n");
}

/** A table with one line per depth: tasks and writes of the held-out trials. */
export function depthTable(tried: readonly TriedDepth[]): string[] {
  return [
    "| questions | resolved | handed back | wrong | writes | of them wrong | left out |",
    "|---|---|---|---|---|---|---|",
    ...tried.map(({ depth, without, trials }) => {
      const { resolved, handedBack, wrong, writes, wrongWrites } = countTrials(trials);
      return `| ${depth} | ${resolved} | ${handedBack} | ${wrong} | ${writes} | ${wrongWrites} | ` +
        `${without.join(", ") || "none"} |`;
    }),
  ];
}

function leafRows(trials: readonly Trial[]): string[] {
  const leaves = new Map<string, { tasks: Set<string>; steps: number; right: number }>();
  for (const { task, steps } of trials) {
    for (const { leaf, action, isRight } of steps) {
      const key = `${leaf.replaceAll(" | ", ", ")} | ${action}`;
      const found = leaves.get(key) ?? { tasks: new Set(), steps: 0, right: 0 };
      leaves.set(key, found);
      found.tasks.add(task);
      found.steps++;
      found.right += isRight ? 1 : 0;
    }
  }
  return [...leaves].sort(([a], [b]) => a < b ? -1 : 1).map(([key, { tasks, steps, right }]) =>
    `| ${key} | ${tasks.size} | ${right} of ${steps} |`
  );
}
