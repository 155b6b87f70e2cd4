/**
 * A deployment's flows on disk: the committed flow, the staged one, and every committed version in
 * `NAME.history`.
 *
 * @module
 */

import { canonicalJson } from "../../flow/state/call_key.ts";
import { diffFlows } from "../../flow/report/diff_flows.ts";
import { readFlow } from "../../flow/file/read_flow.ts";
import { at, isObject } from "../../json/json.ts";
import { UsageError } from "../../cli/command.ts";
import { parseJson } from "../../cli/parse_json.ts";
import { textIfThere } from "../sessions/text_if_there.ts";
import type { FileStore } from "../../ports/files.ts";

/** Where a deployment's files are. */
export interface FlowFiles {
  readonly committed: string;
  readonly staged: string;
  readonly stage: string;
  readonly history: string;
}

/** One version, as `N.json` holds it. */
export interface FlowVersion {
  readonly version: number;
  readonly kind: "found" | "commit" | "rollback";
  readonly unix_ms: number;
  readonly restored?: number;
  readonly note?: string;
  readonly changes: readonly string[];
  readonly evidence?: unknown;
}

/** The files beside a committed flow, NAME.flow.json. */
export function flowFiles(committed: string): FlowFiles {
  const stem = committed.replace(/\.flow\.json$/, "");
  if (stem === committed || /(?:^|\/)$|\.staged$/.test(stem)) {
    throw new UsageError(`--flow needs a file named NAME.flow.json, not "${committed}"`);
  }
  return {
    committed,
    staged: `${stem}.staged.flow.json`,
    stage: `${stem}.stage.json`,
    history: `${stem}.history`,
  };
}

/** The versions of a deployment, oldest first. */
export async function readHistory(
  { history }: FlowFiles,
  files: FileStore,
): Promise<FlowVersion[]> {
  const versions: FlowVersion[] = [];
  for (let n = 1;; n++) {
    const path = `${history}/${n}.json`;
    const text = await textIfThere(files, path);
    if (text === undefined) return versions;
    versions.push(versionOf(text, path, n));
  }
}

function versionOf(text: string, path: string, n: number): FlowVersion {
  const json = parseJson(text, path);
  const kind = at(json, "kind");
  const changes = at(json, "changes");
  if (!isObject(json) || json.version !== n || !Array.isArray(changes)) {
    throw new SyntaxError(`Cannot read "${path}": it is not version ${n} of a flow`);
  }
  if (kind !== "found" && kind !== "commit" && kind !== "rollback") {
    throw new SyntaxError(`Cannot read "${path}": $.kind is not found, commit or rollback`);
  }
  const { unix_ms, restored, note } = json;
  return {
    version: n,
    kind,
    unix_ms: typeof unix_ms === "number" ? unix_ms : 0,
    ...(typeof restored === "number" ? { restored } : {}),
    ...(typeof note === "string" ? { note } : {}),
    changes: changes.map(String),
  };
}

/** Puts a flow in place and into the history; a committed flow changed by other means is kept first. */
export async function putInPlace(
  paths: FlowFiles,
  flow: { readonly text: string; readonly record: Omit<FlowVersion, "version" | "changes"> },
  files: FileStore,
): Promise<FlowVersion> {
  let versions = await readHistory(paths, files);
  const current = await textIfThere(files, paths.committed);
  const last = versions.at(-1);
  const known = last === undefined
    ? undefined
    : await files.readText(`${paths.history}/${last.version}.flow.json`);
  if (current !== undefined && !sameFlow(current, known)) {
    const found = { kind: "found" as const, unix_ms: flow.record.unix_ms };
    await keep(paths, {
      text: current,
      record: { version: versions.length + 1, ...found, changes: [] },
    }, files);
    versions = await readHistory(paths, files);
  }
  const diff = current === undefined
    ? { review: [], listed: [] }
    : diffFlows(readFlow(current, paths.committed), readFlow(flow.text, "the new flow"));
  const version: FlowVersion = {
    version: versions.length + 1,
    ...flow.record,
    changes: [...diff.review, ...diff.listed],
  };
  await keep(paths, { text: flow.text, record: version }, files);
  await files.replace(paths.committed, flow.text);
  return version;
}

async function keep(
  { history }: FlowFiles,
  { text, record }: { readonly text: string; readonly record: FlowVersion },
  files: FileStore,
): Promise<void> {
  // The flow first: a version is there once its record is.
  await files.replace(`${history}/${record.version}.flow.json`, text);
  await files.replace(`${history}/${record.version}.json`, JSON.stringify(record, null, 2) + "\n");
}

function sameFlow(a: string, b: string | undefined): boolean {
  if (b === undefined) return false;
  try {
    return canonicalJson(JSON.parse(a)) === canonicalJson(JSON.parse(b));
  } catch {
    return a === b;
  }
}
