/**
 * The first line of a session log, and the session id that names the file.
 *
 * docs/formats.md is normative for both. This module writes; reading them back
 * is in parse_log.ts, which needs a schema library and is not loaded here.
 *
 * @module
 */

/** Version of the session log format that this build writes and reads. */
export const LOG_VERSION = 2;

/** What is known of a session before its first line. */
export interface LogFacts {
  /** When the session started, milliseconds since 1970 UTC. */
  readonly startedUnixMs: number;
  /** The recording process's id. */
  readonly pid: number;
  /** Which of the process's sessions it is, from 1; absent where a process has one. */
  readonly number?: number;
  /** The server's command with credentials hidden, see redact_args.ts. */
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

/** The session's id: UTC start to the millisecond, the process id, and its number if it has one. */
export function sessionId(startedUnixMs: number, pid: number, number?: number): string {
  const id = `${new Date(startedUnixMs).toISOString().replace(/[-:]/g, "")}-${pid}`;
  return number === undefined ? id : `${id}-${number}`;
}

/** The host session: what HOIST_SESSION names, else the host's process, else none. */
export function hostSession(
  named: string | undefined,
  parentPid: number | undefined,
): string | undefined {
  return named ?? (parentPid === undefined ? undefined : `host-${parentPid}`);
}

/** The header of a session log, without the newline. */
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
