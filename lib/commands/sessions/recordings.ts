/**
 * Opens the recorded sessions that a command line names, as episodes.
 *
 * @module
 */

import type { EpisodeSource } from "../../learn/episode_source.ts";
import { taskHash } from "../../flow/task_fold.ts";
import { readManifest, readRewards, readSplit } from "../../tau2/read_manifest.ts";
import { readResults } from "../../tau2/read_results.ts";
import { contractsOf } from "../../trace/contract.ts";
import type { Episode } from "../../trace/episode.ts";
import { agentOf, episodeOf } from "../../trace/log_episode.ts";
import { at, textAt } from "../../json/json.ts";
import { type Manifest, manifestOf, type ToolDoc, type ToolKind } from "../../trace/manifest.ts";
import { groupLogs, type LogGroup } from "../../trace/merge.ts";
import { traceOf } from "../../trace/trace.ts";
import { printable } from "../../text/printable.ts";
import { noSessions } from "./no_sessions.ts";
import { parseJson } from "../../cli/parse_json.ts";
import type { RecordingsRequest } from "./recordings_flags.ts";
import type { FileStore } from "../../ports/files.ts";
import type { Runtime } from "../../ports/runtime.ts";
import type { SessionLog } from "../../log/log.ts";

/** Recorded sessions and their tools. */
export interface Recordings {
  readonly source: EpisodeSource;
  /** Whether a session's reward was given, not assumed. */
  isRated(session: string): boolean;
  readonly manifest: Manifest;
  readonly contracts: Readonly<Record<string, string>> | undefined;
  /** Notes for stderr: merged sessions, runs without messages. */
  readonly notes: readonly string[];
}

/**
 * Opens recorded sessions.
 *
 * @param request Which.
 * @param files Where they are.
 * @returns The sessions; each is read when it is reached.
 * @throws {Error} When there are none or one cannot be read; the message names the file.
 */
export async function openRecordings(
  request: RecordingsRequest,
  files: FileStore,
): Promise<Recordings> {
  return request.sessions === undefined
    ? await openResults(request, files)
    : await openSessions(request.sessions, request, files);
}

/**
 * Opens recorded sessions for a command, and prints their notes on stderr.
 *
 * @param request Which.
 * @param run The disk and stderr.
 * @returns The sessions.
 */
export async function recordingsOf(
  request: RecordingsRequest,
  { files, runtime }: { readonly files: FileStore; readonly runtime: Pick<Runtime, "say"> },
): Promise<Recordings> {
  const recordings = await openRecordings(request, files);
  for (const note of recordings.notes) runtime.say(note);
  return recordings;
}

async function openResults(request: RecordingsRequest, files: FileStore): Promise<Recordings> {
  const { tau2, domain } = request;
  const listed = tau2 === undefined ? [] : await tau2Files(tau2, domain ?? "", files);
  const paths = [...listed, ...request.results]
    .filter(({ agent }) => agent === undefined || wantsAgent(request, agent))
    .sort((a, b) => a.path < b.path ? -1 : 1);
  const manifestPath = request.manifest ??
    (tau2 === undefined ? undefined : `${tau2}/tools/${domain}-manifest.json`);
  const { manifest, contracts } = manifestPath === undefined
    ? { manifest: { domain: "", tools: {} }, contracts: undefined }
    : readManifest(await files.readText(manifestPath), manifestPath);
  const splitPath = request.split ?? `${tau2}/tasks/${domain}-split.json`;
  const part = request.splitPart;
  const tasks = part === undefined
    ? undefined
    : readSplit(await files.readText(splitPath), splitPath, part);
  const notes: string[] = [];
  const agents = new Set<string>();
  let count = 0;
  for (const { path, agent } of paths) {
    const { episodes, skipped } = readResults(await files.readText(path), {
      path,
      ...named(agent),
    });
    const fitting = episodes.filter((e) => tasks?.has(e.task_id) ?? true);
    count += fitting.length;
    for (const { agent_model } of fitting) agents.add(agent_model);
    if (skipped > 0) notes.push(`"${path}": ${skipped} runs have no messages and are skipped`);
  }
  if (count === 0) {
    throw new Error("No episodes: no result file of this domain has tasks of this part");
  }
  refuseStrangers(request, agents);
  const source: EpisodeSource = {
    async *each() {
      for (const { path, agent } of paths) {
        for (
          const episode of readResults(await files.readText(path), { path, ...named(agent) })
            .episodes
        ) {
          if (domain !== undefined && episode.domain !== domain) continue;
          if (tasks !== undefined && !tasks.has(episode.task_id)) continue;
          if (wantsAgent(request, episode.agent_model)) yield episode;
        }
      }
    },
  };
  return {
    source,
    isRated: () => true,
    manifest: { ...manifest, domain: domain ?? manifest.domain },
    contracts,
    notes,
  };
}

function named(agent: string | undefined): { agent?: string } {
  return agent === undefined ? {} : { agent };
}

function wantsAgent(request: RecordingsRequest, agent: string): boolean {
  if (request.skipAgents.includes(agent)) return false;
  return request.agents.length === 0 || request.agents.includes(agent);
}

/** Names the agents that there are when `--agent` names none of them. */
function refuseStrangers(request: RecordingsRequest, agents: ReadonlySet<string>): void {
  if ([...agents].some((agent) => wantsAgent(request, agent))) return;
  const known = [...agents].sort().map((agent) => `"${agent}"`).join(", ");
  const flag = request.agents.length > 0 ? "--agent" : "--skip-agent";
  const given = request.agents.length > 0 ? request.agents : request.skipAgents;
  throw new Error(
    `No session is left by ${flag} ${given.join(", ")}: the sessions' agents are ${known}`,
  );
}

async function tau2Files(
  dir: string,
  domain: string,
  files: FileStore,
): Promise<{ agent: string | undefined; path: string }[]> {
  const path = `${dir}/MANIFEST.json`;
  const list = parseJson(await files.readText(path), path);
  if (!Array.isArray(list)) throw new Error(`Cannot read "${path}": it is not a list of files`);
  return list.flatMap((entry) => {
    const file = textAt(entry, "file");
    if (file === undefined || textAt(entry, "domain") !== domain) return [];
    if (at(entry, "benchmark") !== "tau2-bench" || at(entry, "agent") === "human") return [];
    return [{ agent: textAt(entry, "agent"), path: `${dir}/${file}` }];
  });
}

async function openSessions(
  dir: string,
  request: RecordingsRequest,
  files: FileStore,
): Promise<Recordings> {
  const logs = await files.listLogs(dir);
  if (logs.length === 0) throw noSessions(dir);
  const groups = await groupLogs(logs, files.readLog);
  const isPrefixed = groups.some((group) => group.logs.length > 1);
  const rewards = request.rewards === undefined
    ? undefined
    : readRewards(await files.readText(request.rewards), request.rewards);
  const given = request.manifest === undefined
    ? undefined
    : readManifest(await files.readText(request.manifest), request.manifest);
  const read = (group: LogGroup) => group.read(files.readLog, isPrefixed);
  const found = await surveyOf(groups, read);
  refuseStrangers(request, found.agents);
  const tasks = new Tasks();
  const source: EpisodeSource = {
    async *each() {
      for (const group of groups) {
        const log = await read(group);
        const episode = episodeOf(traceOf(log), log.header, request);
        episode.reward = rewards?.get(episode.id) ?? 1;
        if (wantsAgent(request, episode.agent_model)) yield tasks.named(episode);
      }
    },
  };
  const described = given === undefined ? found.docs : given.manifest.docs ?? {};
  const merged = groups.filter((group) => group.logs.length > 1).length;
  return {
    source,
    isRated: (id) => rewards?.has(id) ?? false,
    manifest: {
      domain: request.domain ?? found.domain ?? "",
      tools: given?.manifest.tools ?? sortedRecord(Object.fromEntries(found.tools)),
      ...(Object.keys(described).length === 0 ? {} : { docs: sortedRecord(described) }),
    },
    contracts: given?.contracts ??
      (Object.keys(found.contracts).length > 0 ? sortedRecord(found.contracts) : undefined),
    notes: [
      ...(merged > 0 ? [`logs of ${merged} host sessions with several servers are merged`] : []),
      ...groups.flatMap((group) => group.note ?? []),
      ...found.skipped,
      ...strangers([...rewards?.keys() ?? []].filter((id) => !found.ids.has(id))),
    ],
  };
}

/** What the logs of all sessions say together. */
interface Survey {
  readonly ids: ReadonlySet<string>;
  readonly agents: ReadonlySet<string>;
  /** One note per line that could not be read. */
  readonly skipped: readonly string[];
  readonly domain: string | undefined;
  readonly tools: ReadonlyMap<string, ToolKind>;
  readonly docs: Readonly<Record<string, ToolDoc>>;
  readonly contracts: Readonly<Record<string, string>>;
}

async function surveyOf(
  groups: readonly LogGroup[],
  read: (group: LogGroup) => Promise<SessionLog>,
): Promise<Survey> {
  const ids = new Set<string>();
  const agents = new Set<string>();
  const skipped: string[] = [];
  let domain: string | undefined;
  const tools = new Map<string, ToolKind>();
  const docs: Record<string, ToolDoc> = {};
  const contracts: Record<string, string> = {};
  for (const group of groups) {
    const log = await read(group);
    ids.add(log.header.session);
    for (const { line, message } of log.problems) {
      const [file] = group.logs;
      const name = group.logs.length === 1 && file ? file.path : log.header.session;
      skipped.push(printable(`"${name}": line ${line} ${message}; the line is skipped`));
    }
    const seen = traceOf(log);
    agents.add(agentOf(seen, log.header));
    domain ??= log.header.domain ?? log.header.server_name;
    const said = manifestOf(seen, "");
    for (const [tool, kind] of Object.entries(said.tools)) {
      tools.set(tool, mostCautious(tools.get(tool), kind));
    }
    Object.assign(docs, said.docs);
    Object.assign(contracts, contractsOf(seen));
  }
  return { ids, agents, skipped, domain, tools, docs, contracts };
}

/** Notes on rewards for sessions that the folder does not hold. */
function strangers(ids: readonly string[]): string[] {
  const [first] = ids;
  if (first === undefined) return [];
  return [
    `--rewards names ${
      ids.length === 1 ? "a session" : `${ids.length} sessions`
    } that the folder ` +
    `does not hold: ${ids.length === 1 ? "" : "first "}${first}`,
  ];
}

/**
 * Sessions with the same first request are tries of one task, named after the first session. A
 * redacted copy gives the same name.
 */
class Tasks {
  readonly #firstWith = new Map<bigint, string>();

  named(episode: Episode): Episode {
    const said = episode.events.find((event) => event.kind === "user");
    if (said === undefined) return episode;
    const hash = taskHash(said.text);
    const task_id = this.#firstWith.get(hash) ?? episode.id;
    this.#firstWith.set(hash, task_id);
    return { ...episode, task_id };
  }
}

function mostCautious(known: ToolKind | undefined, kind: ToolKind): ToolKind {
  const order: readonly ToolKind[] = ["read", "generic", "write"];
  return known === undefined || order.indexOf(kind) > order.indexOf(known) ? kind : known;
}

function sortedRecord<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => a < b ? -1 : 1));
}
