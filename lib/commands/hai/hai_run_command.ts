/**
 * `hai-mcp run`: authorizes a session, starts a host with it, and ends the session with the host.
 *
 * Each proxy of the host takes a file of its own (`--hai-lease`), which is removed when it is read. The
 * hook's file stays until the host ends.
 *
 * @module
 */

import type { HaiShell } from "../../hai/shell/hai_shell.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { onStopSignal } from "../../relay/stop_signals.ts";
import { reasonOf } from "../../text/reason.ts";

/** What is to be run. */
export interface RunRequest {
  /** The host's command. */
  readonly command: readonly string[];
  /** Files that proxies take. */
  readonly leases: readonly string[];
  /** The file that the hook reads; undefined for none. */
  readonly hookFile: string | undefined;
  /** The mission; undefined for the active one. */
  readonly mission: string | undefined;
  readonly criteria: readonly string[];
  readonly capabilities: readonly string[];
  readonly minutes: number;
  readonly device: string | undefined;
}

/** The host could not be started. */
const NOT_STARTED = 125;

// deno-lint-ignore no-explicit-any
type Reply = any;

/**
 * Runs a host under a session of its own.
 *
 * @param shell The control plane.
 * @param runtime Where to say what happens.
 * @param request What to run.
 * @returns The host's exit status; 1 when no session is granted, 125 when it cannot be started.
 */
export async function runHost(
  shell: Pick<HaiShell, "call">,
  runtime: Pick<Runtime, "say">,
  request: RunRequest,
): Promise<number> {
  const session = await authorize(shell, request);
  if (typeof session === "string") {
    runtime.say(session);
    return 1;
  }
  const files = [...request.leases, ...request.hookFile === undefined ? [] : [request.hookFile]];
  const made: string[] = [];
  try {
    for (const path of files) {
      writeNew(path, JSON.stringify(session) + "\n");
      made.push(path);
    }
    runtime.say(`session ${session.session_id} for ${request.minutes} minutes`);
    return await start(request);
  } catch (error) {
    runtime.say(reasonOf(error));
    return NOT_STARTED;
  } finally {
    for (const path of made) removeIfThere(path);
    const reply: Reply = await shell.call("hai_release_session", {
      ...session,
      reason: "the host has ended",
    });
    runtime.say(
      reply.ok === true
        ? `session ${session.session_id} is released`
        : `session ${session.session_id} is not released: ${reply.message ?? reply.error}`,
    );
  }
}

async function authorize(
  shell: Pick<HaiShell, "call">,
  { mission, criteria, capabilities, minutes, device, command }: RunRequest,
): Promise<{ readonly session_id: string; readonly session_token: string } | string> {
  const wanted = mission === undefined ? {} : { mission_id: mission };
  const found: Reply = await shell.call("hai_get_mission", wanted);
  if (found.ok !== true || found.mission_id === undefined || found.mission_id === null) {
    return `no mission to work for: ${found.message ?? "none is active"}`;
  }
  const all: Reply[] = found.done_criteria ?? found.contract?.done_criteria ?? [];
  const granted: Reply = await shell.call("hai_authorize_session", {
    mission_id: found.mission_id,
    contract_version: found.contract_version,
    agent_identity: command[0] ?? "",
    role: "host",
    contribution: "work of a host that hai-mcp run has started",
    expected_result: "the criteria of the session are met",
    duration_minutes: minutes,
    criterion_ids: criteria.length > 0 ? criteria : all.map(({ id }) => id),
    ...capabilities.length > 0 ? { capabilities } : {},
    ...device === undefined ? {} : { device_id: device },
  });
  if (granted.ok !== true) return `no session is granted: ${granted.message} (${granted.error})`;
  const { session_id, session_token } = granted;
  return { session_id, session_token };
}

/** Starts the host, hands signals on to it, and waits for its end. */
async function start({ command, hookFile }: RunRequest): Promise<number> {
  const [program = "", ...args] = command;
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program, {
      args,
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
      ...hookFile === undefined ? {} : { env: { HAI_SESSION_FILE: hookFile } },
    }).spawn();
  } catch (error) {
    const isMissing = error instanceof Deno.errors.NotFound;
    throw new Error(
      `cannot start "${program}": ${isMissing ? "no such command" : reasonOf(error)}`,
    );
  }
  const off = onStopSignal((signal) => {
    try {
      child.kill(signal);
    } catch {
      // It has ended already.
    }
  });
  const { code } = await child.status;
  off();
  return code;
}

/** Writes a file that was not there: one that is may be another run's, or a trap. */
function writeNew(path: string, text: string): void {
  try {
    Deno.writeTextFileSync(path, text, { createNew: true, mode: 0o600 });
  } catch (cause) {
    const why = cause instanceof Deno.errors.AlreadyExists
      ? "it is there already; another run may use it"
      : reasonOf(cause);
    throw new Error(`"${path}": ${why}`, { cause });
  }
}

/** A proxy has taken it, or nobody has. */
function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // It was taken.
  }
}
