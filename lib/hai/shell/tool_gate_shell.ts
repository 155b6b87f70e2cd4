/**
 * The gate of a contract on a control plane's state on disk, for a proxy. It fails closed:
 * whatever keeps it from judging is a refusal.
 *
 * @module
 */

import type { GateJob, ToolGate } from "../../ports/tool_gate.ts";
import type { CallContext } from "../call/call_context.ts";
import { type AgreedSession, agreedSession, judgeToolUse } from "../gate/tool_gate.ts";
import type { Lease } from "../state/records.ts";
import { readHaiConfig } from "../state/config.ts";
import { StateCorruptError } from "../state/refusal.ts";
import { HaiShell } from "./hai_shell.ts";

/**
 * Opens the gate.
 *
 * @param job Whose.
 * @param machine Version and clock.
 * @returns The gate.
 */
export function openToolGate(
  { home, ownerHome, server, sessionId, sessionToken }: GateJob,
  machine: { readonly version: string; readonly unixMs: () => number },
): ToolGate {
  const settings: Readonly<Record<string, string>> = { HAI_HOME: home, HAI_OWNER_HOME: ownerHome };
  const shell = new HaiShell(readHaiConfig((name) => settings[name], home), machine);
  const session = { session_id: sessionId, session_token: sessionToken, server };
  /** The last time the session was found good. */
  let last: Found | undefined;
  const isSame = ({ agreed, stamp, atMs }: Found) => {
    const now = machine.unixMs();
    return now >= atMs && now < agreed.untilUnixMs && stampOf(home, agreed.lease) === stamp;
  };
  return {
    async check(use) {
      try {
        // The session is what it was as long as none of its files is another: the lock is not
        // needed, and nobody waits for it. Where paths lead is looked at each time.
        if (last !== undefined && isSame(last)) return judgeToolUse(last.ctx, last.agreed, use);
        const atMs = machine.unixMs();
        last = undefined;
        return await shell.hold((ctx) => {
          if ("fault" in ctx.world.chain) throw ctx.world.chain.fault;
          const agreed = agreedSession(ctx, session);
          if ("kind" in agreed) return agreed;
          const stamp = stampOf(home, agreed.lease);
          if (stamp !== undefined) last = { ctx, agreed, stamp, atMs };
          return judgeToolUse(ctx, agreed, use);
        });
      } catch (error) {
        const kind = error instanceof Error ? error.name : "Error";
        const isCorrupt = error instanceof StateCorruptError;
        return {
          kind: "refused",
          code: isCorrupt ? "state_corrupt" : "state_unavailable",
          text: isCorrupt
            ? "the state of hai-mcp cannot be trusted; the owner runs 'hai-mcp doctor'"
            : `the state of hai-mcp cannot be read (${kind})`,
        };
      }
    },
  };
}

interface Found {
  readonly ctx: CallContext;
  readonly agreed: AgreedSession;
  readonly stamp: string;
  readonly atMs: number;
}

/**
 * What tells the state of a session from another: its files, and the head of the trail, which each
 * event replaces. Undefined where one is missing.
 */
function stampOf(home: string, lease: Lease): string | undefined {
  const mission = `${home}/missions/${lease.mission_id}`;
  const files = [
    `${home}/audit/HEAD.json`,
    `${home}/missions/active_mission.json`,
    `${mission}/mission.json`,
    `${mission}/contracts/v${lease.contract_version}.json`,
    `${mission}/sessions/${lease.session_id}.json`,
  ];
  try {
    return files.map((path) => {
      const { ino, size, mtime, ctime } = Deno.lstatSync(path);
      return `${ino} ${size} ${mtime?.getTime()} ${ctime?.getTime()}`;
    }).join();
  } catch {
    return undefined;
  }
}
