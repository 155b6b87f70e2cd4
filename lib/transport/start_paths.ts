/**
 * Whether what a proxy is told to write can be written, found out before anything starts:
 * once a session runs, a log that cannot be opened costs the log, and nobody may be looking.
 *
 * @module
 */

import type { ProxyOptions } from "../cli/proxy_flags.ts";
import { expandSession, sessionsFolder } from "../log/session_name.ts";
import type { ActiveJob } from "./active_job.ts";

/**
 * Finds a path that cannot be written.
 *
 * @param options The flags. Folders they name are made, and files of one session alone.
 * @param active What was read for acting on sessions.
 * @param hostSession The host session of a proxy without `--listen`; undefined when unknown.
 * @returns The flag, its path and the reason; undefined when all can be written.
 */
export function startFault(
  { record, active: { flow, writes }, listen }: ProxyOptions,
  active: ActiveJob | undefined,
  hostSession: string | undefined,
): string | undefined {
  const file = (path: string) => {
    const name = listen === undefined ? hostSession : undefined;
    const folder = name === undefined ? sessionsFolder(path) : undefined;
    if (folder === undefined) tryFile(expandSession(path, name ?? ""));
    else tryFolder(folder);
  };
  const { oracle } = active ?? {};
  const cache = oracle?.kind === "jev" && oracle.key !== undefined ? oracle.cacheDir : undefined;
  const checks: readonly (readonly [string, string | undefined, (path: string) => void])[] = [
    ["record", record?.dir, makeFolder],
    ["flow-log", flow?.log, file],
    ["confirm-log", writes.asking?.log, file],
    ["oracle-cache", cache, makeFolder],
  ];
  for (const [flag, path, check] of checks) {
    if (path === undefined) continue;
    try {
      check(path);
    } catch (error) {
      return `--${flag} "${path}": ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  return undefined;
}

function tryFile(path: string): void {
  Deno.openSync(path, { append: true, create: true, mode: 0o600 }).close();
}

function makeFolder(dir: string): void {
  Deno.mkdirSync(dir, { recursive: true, mode: 0o700 });
  tryFolder(dir);
}

/** Makes a file in a folder, and removes it. */
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
