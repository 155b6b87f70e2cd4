/**
 * `hoist guards`: tests rules on recorded sessions.
 *
 * @module
 */

import { guardJson, guardMarkdown, type GuardSection } from "../../guard/report/guard_report.ts";
import { GuardTally } from "../../guard/report/guard_tally.ts";
import { checkEpisode } from "../../guard/report/check_episode.ts";
import { commandOf, type Run } from "../../cli/command.ts";
import type { FlagTable } from "../../flags/flags.ts";
import { GUARD_TASK_FLAGS, guardTasks } from "./guard_tasks.ts";
import { progressOn } from "../../cli/progress.ts";
import { recordingsOf } from "../sessions/recordings.ts";
import type { FileStore } from "../../ports/files.ts";
import { writeReport } from "../../cli/write_report.ts";

/** The table of `hoist guards`. */
export const GUARDS_FLAGS: FlagTable = {
  program: "hoist guards",
  summary:
    "Tests policy rules against recorded sessions: what they would refuse, and what they would miss.",
  examples: ["hoist guards --sessions ~/.hoist/logs/retail --domain retail"],
  usage: [
    "[OPTIONS] --sessions DIR [--rewards FILE]",
    "[OPTIONS] --tau2 DIR",
    "[OPTIONS] --results FILE...",
  ],
  flags: [
    ...GUARD_TASK_FLAGS,
    { name: "out", value: "FILE", help: "Write the report there instead of on stdout." },
    { name: "json", value: "FILE", help: "Also write the numbers behind it." },
  ],
  notes: ["Exit status: 0 done; 1 something could not be read or written; 2 wrong usage."],
};

/** Runs `hoist guards`. */
export const guardsCommand = commandOf(GUARDS_FLAGS, guards);

async function guards(run: Run<{ readonly files: FileStore }>): Promise<number> {
  const { values, runtime, files } = run;
  const sections: GuardSection[] = [];
  const progress = progressOn(runtime);
  for (const task of await guardTasks(values, files)) {
    const recordings = await recordingsOf(task.request, run);
    const { domain } = recordings.manifest;
    const rules = task.rulesFor(domain);
    const tally = new GuardTally(rules);
    for await (const episode of recordings.source.each()) {
      tally.add(checkEpisode(rules, episode));
      progress.show(`checking ${tally.sessions.successful + tally.sessions.failed}`);
    }
    progress.clear();
    const isEmpty = tally.sessions.successful + tally.sessions.failed === 0;
    if (!isEmpty) {
      sections.push({ domain: domain || (rules.domain ?? ""), rules: task.source, tally });
    } else if (values.has("domain")) {
      throw new Error(`Cannot check: no session of domain "${domain}" is left`);
    }
  }
  if (sections.length === 0) throw new Error("Cannot check: no session is left to check");
  await writeReport({ text: guardMarkdown(sections), json: guardJson(sections) }, run);
  return 0;
}
