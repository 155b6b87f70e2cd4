/**
 * `hoist diff`: shows what changed between two tool lists, and what it breaks.
 *
 * @module
 */

import { diffCatalogs, type FlowNeeds } from "../../catalog/catalog_diff.ts";
import { breaking, catalogDiffJson, catalogDiffMarkdown } from "../../catalog/diff_report.ts";
import { RecordedUse } from "../../catalog/recorded_use.ts";
import { type CommandFunction, runCommand, UsageError } from "../../cli/command.ts";
import { writeReport } from "../../cli/write_report.ts";
import type { FlagTable, FlagValues } from "../../flags/flags.ts";
import { readFlow } from "../../flow/file/read_flow.ts";
import type { FileStore } from "../../ports/files.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { eachSession, fileTools } from "./session_tools.ts";

/** The table of `hoist diff`. */
export const DIFF_FLAGS: FlagTable = {
  program: "hoist diff",
  summary:
    "Shows what changed between two tool lists, and which recorded calls and flows it breaks.",
  examples: ["hoist diff old-session.jsonl new-tools.json --sessions ~/.hoist/logs/orders"],
  usage: ["[OPTIONS] OLD NEW"],
  flags: [
    {
      name: "sessions",
      value: "DIR",
      help: "Rank by the calls of these session logs. Without it by those of OLD.",
    },
    {
      name: "flow",
      value: "FILE",
      repeat: true,
      help: "Say what breaks this flow: a tool it knows is gone, a lookup takes other arguments.",
    },
    { name: "out", value: "FILE", help: "Write the report there instead of on stdout." },
    { name: "json", value: "FILE", help: "Also write the changes as JSON." },
  ],
  positionals: ["OLD", "NEW"],
  notes: [
    "OLD and NEW are session logs, or JSON files with what a server answered to tools/list.\n" +
    "See docs/testing_with_recordings.md.",
    "Exit status: 0 every change is harmless; 1 one is not; 2 anything went wrong.",
  ],
};

/** Where the sessions and lists are. */
interface DiffPorts {
  readonly files: FileStore;
}

/** Runs `hoist diff`. */
export const diffCommand: CommandFunction<DiffPorts> = async (args, runtime, { files }) => {
  let isBreaking = false;
  const status = await runCommand(DIFF_FLAGS, args, runtime, async (values) => {
    isBreaking = await diff(values, runtime, files);
    return 0;
  });
  // Status 1 is a breaking change's alone.
  return status === 1 ? 2 : isBreaking ? 1 : status;
};

/** Compares and reports; returns whether a change is not harmless. */
async function diff(values: FlagValues, runtime: Runtime, files: FileStore): Promise<boolean> {
  const [old, next] = values.positionals;
  if (old === undefined || next === undefined) {
    throw new UsageError("Missing argument: two session logs or tool lists");
  }
  const [before, after] = [await fileTools(old, files), await fileTools(next, files)];
  const use = new RecordedUse();
  const dir = values.get("sessions");
  if (dir === undefined) before.addTo(use);
  else await eachSession(dir, files, (trace, { header }) => use.add(trace, header.session));
  const flows: FlowNeeds[] = [];
  for (const path of values.all("flow")) flows.push(await flowNeeds(path, files));
  const changes = diffCatalogs(before.catalog, after.catalog, { use, flows });
  const title = {
    before: old,
    after: next,
    tools: [before.catalog.size, after.catalog.size] as const,
    sessions: use.sessions,
    calls: use.calls,
  };
  const report = {
    text: catalogDiffMarkdown(changes, title),
    json: catalogDiffJson(changes, title),
  };
  await writeReport(report, { values, runtime, files });
  return breaking(changes).length > 0;
}

/** The tools that a flow looks up, and those it looks up after. */
async function flowNeeds(path: string, files: FileStore): Promise<FlowNeeds> {
  const { reads, next, contracts = {} } = readFlow(await files.readText(path), path);
  const sites = [...next.keys()].map((site) => site.replace(/ \(error\)$/, ""));
  return { name: path, tools: new Set([...reads, ...sites]), contracts };
}
