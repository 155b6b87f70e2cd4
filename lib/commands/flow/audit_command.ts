/**
 * `hoist audit`: scores a flow's probabilities on recorded sessions.
 *
 * @module
 */

import { type AuditedDecision, auditEpisode, auditOf } from "../../evaluate/audit.ts";
import { auditHtml, auditMarkdown } from "../../evaluate/audit_report.ts";
import { commandOf, type Run } from "../../cli/command.ts";
import { deciderFlags } from "./decider_flags.ts";
import type { FlagTable } from "../../flags/flags.ts";
import { knownSessions } from "../sessions/known_sessions.ts";
import { progressOn, shownOn } from "../../cli/progress.ts";
import { RECORDINGS_FLAGS } from "../sessions/recordings_flags.ts";
import { openFlow, type OraclePorts } from "./open_flow.ts";
import { writeReport } from "../../cli/write_report.ts";

/** The table of `hoist audit`. */
export const AUDIT_FLAGS: FlagTable = {
  program: "hoist audit",
  summary: "Scores a flow's probabilities against what agents did next.",
  examples: ["hoist audit --flow orders.flow.json --sessions ~/.hoist/logs/orders"],
  usage: ["[OPTIONS] --flow FILE --sessions DIR"],
  flags: [
    { name: "flow", value: "FILE", help: "The flow." },
    ...RECORDINGS_FLAGS,
    ...deciderFlags(
      "The decider to score. Default: the one that hoist-mcp would serve the flow by.",
    ),
    { name: "out", value: "FILE", help: "Write the report there instead of on stdout." },
    { name: "json", value: "FILE", help: "Also write the numbers and every decision." },
    {
      name: "html",
      value: "FILE",
      help: "Also write it as one self-contained page with charts.",
    },
  ],
  notes: ["Exit status: 0 done; 1 something could not be read or written; 2 wrong usage."],
};

/** Runs `hoist audit`. */
export const auditCommand = commandOf(AUDIT_FLAGS, audit);

async function audit(run: Run<OraclePorts>): Promise<number> {
  const { runtime } = run;
  const { flow, decider, recordings, read } = await openFlow(run);
  const known = knownSessions(recordings.source, flow.manifest);
  const decisions: AuditedDecision[] = [];
  let [episodes, unanswered, served] = [0, 0, 0];
  for await (const episode of shownOn(known.source, progressOn(runtime), "auditing").each()) {
    episodes++;
    const audited = auditEpisode(episode, decider, read);
    decisions.push(...audited.decisions);
    unanswered += audited.unanswered;
    served += audited.served;
  }
  known.say(runtime);
  if (episodes === 0) throw new Error("Cannot audit: no session is left to score");
  if (unanswered > 0 && decisions.length === 0) {
    throw new Error("Cannot audit: no answer of the oracle is in the cache");
  }
  const scores = auditOf(decisions);
  const title = {
    domain: flow.manifest.domain,
    decider: decider.decider,
    episodes,
    unanswered,
    served,
  };
  await writeReport({
    text: auditMarkdown(scores, title),
    json: { ...title, ...scores, all_decisions: decisions },
    html: () => auditHtml(scores, title),
  }, run);
  return 0;
}
