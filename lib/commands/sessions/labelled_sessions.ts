/**
 * Reads the logged decisions of flows and labels them by the agents' calls.
 *
 * @module
 */

import { logStem } from "../../log/log_names.ts";
import { readFlowLog } from "../../flow/walking/read_flow_log.ts";
import { labelLog } from "../../evaluate/labelled.ts";
import type { LabelledDecision } from "../../evaluate/labelled_line.ts";
import { episodeOf } from "../../trace/log_episode.ts";
import { manifestOf } from "../../trace/manifest.ts";
import { traceOf } from "../../trace/trace.ts";
import type { FlowLogStore } from "../../ports/files.ts";

/** Labelled decisions, and notes for stderr. */
export interface LabelledSessions {
  readonly decisions: readonly LabelledDecision[];
  readonly notes: readonly string[];
}

/**
 * Reads the flow logs of a folder and labels their decisions.
 *
 * @param dir A folder of session logs, `<session>.flow.jsonl` beside them.
 * @param files Where it is.
 * @returns The decisions that can be labelled.
 * @throws {Error} When there is no flow log with a session, or one cannot be read.
 */
export async function labelledSessions(
  dir: string,
  files: FlowLogStore,
): Promise<LabelledSessions> {
  const sessions = new Map((await files.listLogs(dir)).map(({ path }) => [logStem(path), path]));
  const decisions: LabelledDecision[] = [];
  const notes: string[] = [];
  let served = 0;
  let unlabelled = 0;
  let found = 0;
  for (const path of await files.listFlowLogs(dir)) {
    const sessionPath = sessions.get(logStem(path));
    if (sessionPath === undefined) {
      notes.push(`"${path}" has no session log beside it and is left out`);
      continue;
    }
    found++;
    const { lines, isCut } = readFlowLog(await files.readText(path), path);
    if (isCut) notes.push(`"${path}": the last line is cut and is left out`);
    const log = await files.readLog(sessionPath);
    const seen = traceOf(log);
    const labelled = labelLog(
      lines,
      episodeOf(seen, log.header),
      manifestOf(seen, ""),
    );
    decisions.push(...labelled.decisions);
    served += labelled.served;
    unlabelled += labelled.unlabelled;
  }
  if (found === 0) throw new Error(`No flow logs in "${dir}": no session has a *.flow.jsonl`);
  if (served > 0) {
    notes.push(
      `${served} decisions were not logged in shadow and are left out: what the agent would have ` +
        "done by itself is not known; log with --flow-shadow",
    );
  }
  if (unlabelled > 0) {
    notes.push(
      `${unlabelled} decisions have no policy, or stand behind a call that the session does not ` +
        "hold, and are left out; log with --flow-shadow --flow-explore, 0 to explore nothing",
    );
  }
  return { decisions, notes };
}
