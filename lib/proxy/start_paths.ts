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
import type { ActiveJob } from "./active_job.ts";
import { reasonOf } from "../text/reason.ts";

/**
 * Tries to write to each path.
 *
 * @param options The flags. Missing folders are made, and the files of a single session.
 * @param active The rules and flows of an active session.
 * @param runtime Gives the environment.
 * @throws {Error} When a path cannot be written; names the flag, the path and the reason.
 */
export function tryPaths(
  { record, active: { flow, writes }, listen }: ProxyOptions,
  active: ActiveJob | undefined,
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
  const { oracle } = active ?? {};
  const cache = oracle?.kind === "jev" && oracle.key !== undefined ? oracle.cacheDir : undefined;
  const tries: readonly (readonly [string, string | undefined, (path: string) => void])[] = [
    ["record", record?.dir, makeFolder],
    ["flow-log", flow?.log, tryLog],
    ["confirm-log", writes.asking?.log, tryLog],
    ["oracle-cache", cache, makeFolder],
  ];
  for (const [flag, path, attempt] of tries) {
    if (path === undefined) continue;
    try {
      attempt(path);
    } catch (cause) {
      const why = reasonOf(cause);
      throw new Error(`--${flag} "${path}": ${why}`, { cause });
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
