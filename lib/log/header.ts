/**
 * Writes the first line of a session log, and the session id that names the file.
 *
 * docs/formats.md is normative for both. parse_line.ts reads them back; it needs
 * a schema library, which the recording path must not load.
 *
 * @module
 */

/** The session log format version that this build reads and writes. */
export const LOG_VERSION = 2;

/** The facts of a session that its header holds. */
export interface LogFacts {
  /** When the session started, milliseconds since 1970 UTC. */
  readonly startedUnixMs: number;
  /** The recording process's id. */
  readonly pid: number;
  /** Number of the session within its process, from 1; absent when the process has only one. */
  readonly number?: number;
  /** The server's command, credentials hidden (redact_args.ts). */
  readonly serverCommand: readonly string[];
  /** `--domain`. */
  readonly domain?: string | undefined;
  /** `--agent-model`. */
  readonly agentModel?: string | undefined;
  /** The host session, see {@linkcode hostSession}. */
  readonly hostSession?: string | undefined;
  /** `--server-name`. */
  readonly serverName?: string | undefined;
}

/** Makes a session id: UTC start in milliseconds, process id, and the number if there is one. */
export function sessionId(startedUnixMs: number, pid: number, number?: number): string {
  const id = `${new Date(startedUnixMs).toISOString().replace(/[-:]/g, "")}-${pid}`;
  return number === undefined ? id : `${id}-${number}`;
}

/** The host session: the value of HOIST_SESSION, else the host's process, else undefined. */
export function hostSession(
  named: string | undefined,
  parentPid: number | undefined,
): string | undefined {
  return named ?? (parentPid === undefined ? undefined : `host-${parentPid}`);
}

/** Writes the header of a session log, without the newline. */
export function headerLine(facts: LogFacts): string {
  // Undefined fields are left out by JSON.stringify; `domain` and `agent_model` are always there.
  return JSON.stringify({
    hoist_mcp_log: LOG_VERSION,
    session: sessionId(facts.startedUnixMs, facts.pid, facts.number),
    started_unix_ms: facts.startedUnixMs,
    server_command: facts.serverCommand,
    domain: facts.domain ?? null,
    agent_model: facts.agentModel ?? null,
    host_session: facts.hostSession,
    server_name: facts.serverName,
  });
}
