/**
 * `hoist audit`: how well a flow's probabilities fit recorded sessions.
 *
 * @module
 */

import { lenientParser } from "../../flow/state/lenient.ts";
import { readFlow } from "../../flow/file/read_flow.ts";
import { resultReader } from "../../flow/state/read_result.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { type AuditedDecision, auditEpisode, auditOf } from "../../evaluate/audit.ts";
import { auditHtml, auditMarkdown } from "../../evaluate/audit_report.ts";
import { needed, runCommand, UsageError } from "../../cli/command.ts";
import { deciderFlags, deciderOf } from "./decider_flags.ts";
import type { FlagTable, FlagValues } from "../../flags/flags.ts";
import { knownSessions } from "../sessions/known_sessions.ts";
import { progressOn, shownOn } from "../../cli/progress.ts";
import { openRecordings } from "../sessions/recordings.ts";
import { RECORDINGS_FLAGS, recordingsRequest } from "../sessions/recordings_flags.ts";
import type { OracleDoor } from "../../ports/oracle_door.ts";
import type { FileStore } from "../../ports/files.ts";

/** The table of `hoist audit`. */
export const AUDIT_FLAGS: FlagTable = {
  program: "hoist audit",
  summary: "Scores a flow's probabilities against what agents did next.",
  examples: ["hoist audit --flow orders.flow.json --sessions ~/.hoist/logs/orders"],
  usage: ["[OPTIONS] --flow FILE --sessions DIR"],
  flags: [
    { name: "flow", value: "FILE", help: "The flow." },
    ...RECORDINGS_FLAGS,
    ...deciderFlags("Whose probabilities. Default: habit, which predicts the very next step."),
    { name: "out", value: "FILE", help: "Write the report there instead of on stdout." },
    { name: "json", value: "FILE", help: "Also write the numbers and every decision." },
    {
      name: "html",
      value: "FILE",
      help: "Also write it as one page with pictures that needs nothing else.",
    },
  ],
  notes: ["Exit status: 0 done; 1 something could not be read or written; 2 wrong usage."],
};

/**
 * Runs `hoist audit`.
 *
 * @param args The arguments after the subcommand.
 * @param runtime Where to print.
 * @param files Where sessions and flows are.
 * @param door The way to the oracle's cache.
 * @returns The exit status.
 */
export function auditCommand(
  args: readonly string[],
  runtime: Runtime,
  files: FileStore,
  door: OracleDoor,
): Promise<number> {
  return runCommand(AUDIT_FLAGS, args, runtime, (values) => run(values, runtime, { files, door }));
}

async function run(
  values: FlagValues,
  runtime: Runtime,
  { files, door }: { readonly files: FileStore; readonly door: OracleDoor },
): Promise<number> {
  const path = needed(values, "flow");
  const request = recordingsRequest(values);
  if (typeof request === "string") throw new UsageError(request);
  const flow = readFlow(await files.readText(path), path);
  // The weights answer another question (will the tool come at all), so counts alone are audited.
  const counted = { ...flow, cues: undefined };
  const decider = deciderOf(values, counted, { runtime, door, otherwise: "habit" });
  const recordings = await openRecordings(request, files);
  for (const note of recordings.notes) runtime.say(note);
  const known = knownSessions(recordings.source, flow.manifest);
  const read = resultReader(await lenientParser());
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
  const audit = auditOf(decisions);
  const title = {
    domain: flow.manifest.domain,
    decider: decider.decider,
    episodes,
    unanswered,
    served,
  };
  const [out, json, html] = ["out", "json", "html"].map((name) => values.get(name));
  if (json !== undefined) {
    await files.replace(
      json,
      JSON.stringify({ ...title, ...audit, all_decisions: decisions }, null, 2) + "\n",
    );
  }
  if (html !== undefined) await files.replace(html, auditHtml(audit, title));
  const text = auditMarkdown(audit, title);
  if (out === undefined) runtime.print(text);
  else await files.replace(out, text + "\n");
  return 0;
}
