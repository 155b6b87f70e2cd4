/**
 * Checks before the start that every file the flags name can be written. Once a session
 * runs, a log that cannot be opened is lost, and the user may not see the message.
 *
 * @module
 */

import type { ProxyOptions } from "../proxy_options/proxy_flags.ts";
import type { Runtime } from "../ports/runtime.ts";
import { hostSession } from "../log/header.ts";
import { expandSession, sessionsFolder } from "../log/session_name.ts";
import { intercepts, sessionFiles, sharedFolders } from "../intercept/asked_for.ts";
import type { InterceptorJob } from "./interceptors.ts";
import { reasonOf } from "../text/reason.ts";
import { RecordFault } from "./exit_code.ts";

/**
 * Reads what the options name, and tries to write to each path.
 *
 * @param options The flags.
 * @param runtime Gives the environment.
 * @returns What was read for the interceptors; undefined where there are none.
 * @throws {Error} When a file cannot be used; names the flag, its path and the reason.
 */
export async function checkStart(
  options: ProxyOptions,
  runtime: Runtime,
): Promise<InterceptorJob | undefined> {
  const read = intercepts(options.interceptors)
    ? await (await import("./interceptors.ts")).readJobs(options, runtime)
    : undefined;
  if (options.printPermissions) return read;
  tryPaths(options, read, runtime);
  options.restart?.watch.forEach(mustExist);
  const notes = [
    ...await oldAnswers(options, read, runtime),
    ...missingFolders(options.interceptors),
  ];
  return read && { ...read, notes: [...read.notes, ...notes] };
}

function mustExist(path: string): void {
  try {
    Deno.statSync(path);
  } catch (cause) {
    throw new Error(`--watch "${path}": ${reasonOf(cause)}`, { cause });
  }
}

/** Deletes the live oracle's kept answers that are past their retention. */
async function oldAnswers(
  { record }: ProxyOptions,
  read: InterceptorJob | undefined,
  runtime: Runtime,
): Promise<string[]> {
  const days = record?.retainDays;
  const oracle = read?.oracle;
  // With --oracle replay the cache is read only.
  if (days === undefined || oracle?.kind !== "jev") return [];
  const { pruneAnswers } = await import("../model_client/answer_cache.ts");
  const deleted = pruneAnswers(oracle.cacheDir, { days, nowUnixMs: runtime.unixMs() });
  if (deleted === 0) return [];
  return [`deleted ${deleted} of the oracle's answers older than ${days} days`];
}

/** Notes on files to read whose folder does not exist: they may be written later. */
function missingFolders(interceptors: ProxyOptions["interceptors"]): string[] {
  return sessionFiles(interceptors).flatMap(({ flag, path, use }) => {
    const folder = sessionsFolder(path) ?? path.replace(/[/\\][^/\\]*$/, "");
    if (use !== "read" || folder === path) return [];
    try {
      Deno.statSync(folder);
      return [];
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) return []; // Such as no permission to look.
      return [
        `--${flag} "${path}": its folder is missing; the session goes on without it until ` +
        "it is there",
      ];
    }
  });
}

/**
 * Tries to write to each path.
 *
 * @param options The flags. Missing folders are made, and the files of a single session.
 * @param read What was read for the interceptors.
 * @param runtime Gives the environment.
 * @throws {Error} When a path cannot be written; names the flag, the path and the reason.
 */
function tryPaths(
  { record, interceptors, listen }: ProxyOptions,
  read: InterceptorJob | undefined,
  runtime: Runtime,
): void {
  // With --listen each session has its own name.
  const name = listen === undefined
    ? hostSession(runtime.env("HOIST_SESSION"), runtime.parentPid)
    : undefined;
  const tryLog = (path: string) => {
    const folder = name === undefined ? sessionsFolder(path) : undefined;
    if (folder === undefined) tryFile(expandSession(path, name ?? ""));
    else tryFolder(folder);
  };
  const { oracle } = read ?? {};
  const cache = oracle?.kind === "jev" && oracle.key !== undefined ? oracle.cacheDir : undefined;
  const logs = sessionFiles(interceptors).filter(({ use }) => use === "append");
  const tries: readonly (readonly [string, string | undefined, (path: string) => void])[] = [
    ["record", record?.dir, makeFolder],
    ...logs.map(({ flag, path }) => [flag, path, tryLog] as const),
    ...sharedFolders(interceptors).map(({ flag, path }) => [flag, path, makeFolder] as const),
    ["oracle-cache", cache, makeFolder],
  ];
  for (const [flag, path, attempt] of tries) {
    if (path === undefined) continue;
    try {
      attempt(path);
    } catch (cause) {
      const why = reasonOf(cause);
      const Fault = flag === "record" ? RecordFault : Error;
      throw new Fault(`--${flag} "${path}": ${why}`, { cause });
    }
  }
}

function tryFile(path: string): void {
  Deno.openSync(path, { append: true, create: true, mode: 0o600 }).close();
}

function makeFolder(dir: string): void {
  Deno.mkdirSync(dir, { recursive: true, mode: 0o700 });
  tryFolder(dir);
}

/** Creates a file in a folder, and removes it. */
function tryFolder(dir: string): void {
  const path = `${dir}/.hoist-${crypto.randomUUID()}`;
  const file = Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
  try {
    file.writeSync(new Uint8Array(1));
  } finally {
    file.close();
    Deno.removeSync(path);
  }
}
