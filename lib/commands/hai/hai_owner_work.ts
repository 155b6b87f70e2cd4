/**
 * `hai-mcp owner leases|revoke|stop-all|resume`: the owner looks at running sessions and ends them.
 * Stopping takes no typed word: it must be quick, and only takes rights away.
 *
 * @module
 */

import type { OwnerService } from "../../hai/shell/owner_service.ts";
import { plainText } from "../../text/plain_text.ts";

/** Actions of this file. */
export const WORK_ACTIONS: readonly string[] = ["leases", "revoke", "stop-all", "resume"];

/** What came of an action. */
interface WorkDone {
  /** The exit status. */
  readonly status: number;
  /** Lines to print. */
  readonly lines: readonly string[];
}

/**
 * Carries out one of the actions.
 *
 * @param service The owner's functions.
 * @param wish The action, and the session of `revoke`.
 * @returns The exit status and the lines to print.
 */
export async function runOwnerWork(
  service: OwnerService,
  wish: { readonly action: string; readonly sessionId: string | undefined },
): Promise<WorkDone> {
  if (wish.action === "leases") return { status: 0, lines: await leaseLines(service) };
  if (wish.action === "revoke") {
    const { sessionId = "" } = wish;
    return await service.revoke(sessionId)
      ? { status: 0, lines: [`${sessionId}: revoked.`] }
      : { status: 1, lines: ["Name a running session: see 'owner leases'"] };
  }
  if (wish.action === "resume") {
    await service.resume();
    return { status: 0, lines: ["Work may go on; every agent needs a new session."] };
  }
  const { length } = await service.stopAll();
  return {
    status: 0,
    lines: [`Stopped. ${length} sessions ended; 'hai-mcp owner resume' lets work go on.`],
  };
}

async function leaseLines(service: OwnerService): Promise<string[]> {
  const lines = (await service.leases())
    .map(({ session_id, agent_identity, contribution, expires_at }) =>
      plainText(`${session_id}  until ${expires_at}  ${agent_identity}: ${contribution}`)
        .replaceAll("\n", " ")
    );
  return lines.length > 0 ? lines : ["No session is running."];
}
