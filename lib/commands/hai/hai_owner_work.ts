/**
 * `hai-mcp owner leases|revoke|stop-all|resume`: the owner looks at running sessions and ends them.
 * Stopping takes no typed word: it must be quick, and only takes rights away.
 *
 * @module
 */

import type { CallContext } from "../../hai/call/call_context.ts";
import { listLeases, revokeLeases, saveLease } from "../../hai/mission/leases.ts";
import { activeMissionId } from "../../hai/mission/missions.ts";
import type { HaiShell } from "../../hai/shell/hai_shell.ts";
import { plainText } from "../../text/plain_text.ts";

/** Actions of this file. */
export const WORK_ACTIONS: readonly string[] = ["leases", "revoke", "stop-all", "resume"];

/**
 * Carries out one of the actions.
 *
 * @param shell The control plane.
 * @param wish The action, and the session of `revoke`.
 * @returns The exit status and the lines to print.
 */
export function runOwnerWork(
  shell: HaiShell,
  wish: { readonly action: string; readonly sessionId: string | undefined },
): Promise<{ readonly status: number; readonly lines: string[] }> {
  return shell.hold((ctx) => {
    if ("fault" in ctx.world.chain) {
      return { status: 1, lines: [ctx.world.chain.fault.message] };
    }
    if (wish.action === "leases") return { status: 0, lines: leaseLines(ctx) };
    if (wish.action === "revoke") return revoke(ctx, wish.sessionId);
    if (wish.action === "resume") {
      ctx.audit("work_resumed", { by: "owner" });
      return { status: 0, lines: ["Work may go on; every agent needs a new session."] };
    }
    const missionId = activeMissionId(ctx.tx);
    const revoked_sessions = missionId === null
      ? []
      : revokeLeases(ctx, missionId, "owner_stopped");
    ctx.audit("work_stopped", { by: "owner", revoked_sessions });
    return {
      status: 0,
      lines: [
        `Stopped. ${revoked_sessions.length} sessions ended; 'hai-mcp owner resume' lets work go on.`,
      ],
    };
  });
}

function live(ctx: CallContext) {
  const missionId = activeMissionId(ctx.tx);
  return missionId === null
    ? []
    : listLeases(ctx, missionId).filter((lease) => lease.status === "active");
}

function leaseLines(ctx: CallContext): string[] {
  const lines = live(ctx).map(({ session_id, agent_identity, contribution, expires_at }) =>
    plainText(`${session_id}  until ${expires_at}  ${agent_identity}: ${contribution}`)
      .replaceAll("\n", " ")
  );
  return lines.length > 0 ? lines : ["No session is running."];
}

function revoke(ctx: CallContext, sessionId: string | undefined) {
  const lease = live(ctx).find(({ session_id }) => session_id === sessionId);
  if (lease === undefined) {
    return { status: 1, lines: ["Name a running session: see 'owner leases'"] };
  }
  const { session_id, mission_id } = lease;
  saveLease(ctx, { ...lease, status: "revoked", revoked_at: ctx.utc, revoke_reason: "owner" });
  ctx.audit("session_released", { session_id, mission_id, reason: "revoked by the owner" });
  return { status: 0, lines: [`${session_id}: revoked.`] };
}
