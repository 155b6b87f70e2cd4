/**
 * `hoist flow-commit`, `flow-rollback` and `flow-log`: the versions of a flow.
 *
 * @module
 */

import { readFlow } from "../../flow/file/read_flow.ts";
import { commandOf, needed, numberFlag, type Run } from "../../cli/command.ts";
import type { Flag, FlagTable } from "../../flags/flags.ts";
import { readStage } from "../../evaluate/stage.ts";
import { textIfThere } from "../sessions/text_if_there.ts";
import { flowFiles, type FlowVersion, putInPlace, readHistory } from "./flow_history.ts";
import type { FileStore } from "../../ports/files.ts";

const FLOW: Flag = { name: "flow", value: "FILE", help: "The committed flow, NAME.flow.json." };
const NOTE: Flag = { name: "note", value: "TEXT", help: "A note to keep with the version." };
const STATUS = "Exit status: 0 done; 1 something could not be read or written; 2 wrong usage.";

/** The table of `hoist flow-commit`. */
export const FLOW_COMMIT_FLAGS: FlagTable = {
  program: "hoist flow-commit",
  summary: "Puts the staged flow in the committed one's place and keeps every version.",
  examples: ["hoist flow-commit --flow orders.flow.json --note 'the November sessions'"],
  usage: ["--flow NAME.flow.json [--note TEXT]"],
  flags: [FLOW, NOTE],
  notes: [STATUS],
};

/** The table of `hoist flow-rollback`. */
export const FLOW_ROLLBACK_FLAGS: FlagTable = {
  program: "hoist flow-rollback",
  summary: "Puts an earlier version of a flow back in place.",
  examples: ["hoist flow-rollback --flow orders.flow.json"],
  usage: ["--flow NAME.flow.json [--to N] [--note TEXT]"],
  flags: [
    FLOW,
    { name: "to", value: "N", help: "The version. Default: the one before the last." },
    NOTE,
  ],
  notes: [STATUS],
};

/** The table of `hoist flow-log`. */
export const FLOW_LOG_FLAGS: FlagTable = {
  program: "hoist flow-log",
  summary: "Lists the versions of a flow, newest first.",
  examples: ["hoist flow-log --flow orders.flow.json"],
  usage: ["--flow NAME.flow.json"],
  flags: [FLOW],
  notes: [STATUS],
};

/** Runs `hoist flow-commit`. */
export const flowCommitCommand = commandOf(
  FLOW_COMMIT_FLAGS,
  async ({ values, runtime, files }: Run<{ readonly files: FileStore }>) => {
    const paths = flowFiles(needed(values, "flow"));
    const note = values.get("note");
    const text = await files.readText(paths.staged);
    readFlow(text, paths.staged);
    const staged = await textIfThere(files, paths.stage);
    const stage = staged === undefined ? undefined : readStage(staged, paths.stage);
    const record = {
      kind: "commit" as const,
      unix_ms: runtime.unixMs(),
      ...(note === undefined ? {} : { note }),
      ...(stage?.last === undefined ? {} : { evidence: stage.last }),
    };
    const { version } = await putInPlace(paths, { text, record }, files);
    runtime.say(`committed version ${version} to ${paths.committed}`);
    return 0;
  },
);

/** Runs `hoist flow-rollback`. */
export const flowRollbackCommand = commandOf(
  FLOW_ROLLBACK_FLAGS,
  async ({ values, runtime, files }: Run<{ readonly files: FileStore }>) => {
    const paths = flowFiles(needed(values, "flow"));
    const note = values.get("note");
    const versions = await readHistory(paths, files);
    const to = numberFlag(values, "to", { min: 1, max: 1e9, whole: true }) ?? versions.length - 1;
    if (!versions.some((v) => v.version === to)) {
      throw new Error(`Cannot roll back: "${paths.history}" has no version ${Math.max(to, 0)}`);
    }
    const path = `${paths.history}/${to}.flow.json`;
    const text = await files.readText(path);
    readFlow(text, path);
    const record = {
      kind: "rollback" as const,
      unix_ms: runtime.unixMs(),
      restored: to,
      ...(note === undefined ? {} : { note }),
    };
    const { version } = await putInPlace(paths, { text, record }, files);
    runtime.say(`restored version ${to} as version ${version} to ${paths.committed}`);
    return 0;
  },
);

/** Runs `hoist flow-log`. */
export const flowLogCommand = commandOf(
  FLOW_LOG_FLAGS,
  async ({ values, runtime, files }: Run<{ readonly files: FileStore }>) => {
    const paths = flowFiles(needed(values, "flow"));
    const versions = await readHistory(paths, files);
    if (versions.length === 0) throw new Error(`No versions in "${paths.history}"`);
    runtime.print(["# Versions of the flow", ...versions.toReversed().flatMap(entry)].join("\n"));
    return 0;
  },
);

function entry(v: FlowVersion): string[] {
  const what = v.kind === "found"
    ? "found changed"
    : v.kind === "commit"
    ? "committed"
    : `rolled back to ${v.restored}`;
  const time = new Date(v.unix_ms).toISOString().slice(0, 19).replace("T", " ");
  return [
    "",
    `## ${v.version}: ${what}, ${time} UTC`,
    ...(v.note === undefined ? [] : ["", v.note]),
    "",
    ...(v.changes.length === 0 ? ["No changes."] : v.changes.map((c) => `- ${c}`)),
  ];
}
