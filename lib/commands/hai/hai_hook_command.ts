/**
 * `hai-mcp hook`: a `PreToolUse` hook for Claude Code. It asks the gate of a session about a call of
 * the host's own tools: files, shell, network.
 *
 * A call that is allowed gets no answer, so that the host's own rules go on. One that is not is
 * denied with the reason. Any fault ends with status 2, on which Claude Code denies the call.
 *
 * @module
 */

import { z } from "zod";
import { openToolGate } from "../../hai/shell/tool_gate_shell.ts";
import { HOST_SERVER, hostUse, readHookInput } from "../../intercept/hai/host_tools.ts";
import type { HaiConfig } from "../../hai/state/config.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { reasonOf } from "../../text/reason.ts";

const SESSION = z.looseObject({ session_id: z.string(), session_token: z.string() });
const OTHERS = 0o077;

/** How the hook is asked. */
export interface HookRequest {
  /** The file with `session_id` and `session_token`. */
  readonly sessionFile: string;
  /** All of standard input. */
  readonly input: () => Promise<string>;
  readonly version: string;
}

/**
 * Judges one call.
 *
 * @param config Where the state is.
 * @param runtime Where to answer.
 * @param request The session and the call.
 * @returns 0 when the host has its answer, 2 when it has to deny the call.
 */
export async function runHook(
  config: HaiConfig,
  runtime: Pick<Runtime, "say" | "print" | "unixMs">,
  { sessionFile, input, version }: HookRequest,
): Promise<number> {
  try {
    const call = readHookInput(await input());
    const found = hostUse(call);
    if (found.kind === "none") return 0;
    if (found.kind === "fault") return deny(runtime, call.tool, `${found.why} (map)`);
    const { session_id: sessionId, session_token: sessionToken } = readSession(sessionFile);
    const { home, ownerHome } = config;
    const gate = openToolGate({ home, ownerHome, server: HOST_SERVER, sessionId, sessionToken }, {
      version,
      unixMs: () => runtime.unixMs(),
    });
    const verdict = await gate.check(found.use);
    if (verdict.kind === "allowed") return 0;
    return deny(runtime, call.tool, `${verdict.text} (${verdict.code})`);
  } catch (error) {
    runtime.say(`the call cannot be judged, so it is denied: ${reasonOf(error)}`);
    return 2;
  }
}

function deny(runtime: Pick<Runtime, "print">, tool: string, why: string): number {
  runtime.print(JSON.stringify({
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason:
        `Refused by the contract, so ${tool} was not run and nothing changed: ${why}.`,
    },
  }));
  return 0;
}

function readSession(path: string): z.infer<typeof SESSION> {
  const { mode } = Deno.statSync(path);
  if (mode !== null && (mode & OTHERS) !== 0) {
    throw new Error(`"${path}": others may read it; chmod 600`);
  }
  let content: unknown;
  try {
    content = JSON.parse(Deno.readTextFileSync(path));
  } catch {
    content = undefined;
  }
  const session = SESSION.safeParse(content);
  if (!session.success) {
    throw new Error(`"${path}": it is no JSON with session_id and session_token`);
  }
  return session.data;
}

/** What to put into a settings file of Claude Code. */
export function hookSettings(sessionFile: string): string {
  const command = `hai-mcp hook --session ${quoted(sessionFile)}`;
  const hooks = { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command }] }] };
  return JSON.stringify({ hooks }, null, 2);
}

/** A word of a shell's command line. */
function quoted(word: string): string {
  return /^[\w./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
