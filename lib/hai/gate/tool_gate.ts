/**
 * Judges a call of a tool by the contract of a session: its server, its tool, what it is, and
 * where its paths really lead.
 *
 * @module
 */

import type { GatedUse, GateVerdict } from "../../ports/tool_gate.ts";
import type { CallContext } from "../call/call_context.ts";
import type { Contract, Lease } from "../state/records.ts";
import { CallRefusal } from "../state/refusal.ts";
import { normalActions } from "../mission/activity.ts";
import { stampSeconds } from "../state/ids.ts";
import { requireLease } from "../mission/leases.ts";
import { rootOf } from "../mission/mounts.ts";
import { judgePaths } from "../mission/paths_check.ts";

/** A session, and the server that it calls. */
export interface GatedSession {
  readonly session_id: string;
  readonly session_token: string;
  readonly server: string;
}

/** A session that may work, and what it agreed to. */
export interface AgreedSession {
  readonly server: string;
  readonly lease: Lease;
  readonly contract: Contract;
  /** Until when it may, milliseconds since 1970, if nothing else happens; 0 where it cannot be told. */
  readonly untilUnixMs: number;
}

/**
 * Checks that a session may work now, with this server.
 *
 * @param ctx The call.
 * @param session The session.
 * @returns What it agreed to, or why it may not.
 */
export function agreedSession(
  ctx: CallContext,
  session: GatedSession,
): AgreedSession | RefusedCall {
  const valid = requireLease(ctx, session);
  if (valid instanceof CallRefusal) {
    const next = "authorize a new session, and hand it to a new proxy";
    return { kind: "refused", code: valid.error, text: `${valid.message}. To go on, ${next}` };
  }
  const { lease, contract } = valid;
  const { server } = session;
  if (!matches(server, contract.constraints.servers)) {
    const text = `the contract does not name the server "${server}". ${RECONTRACT}`;
    return { kind: "refused", code: "constraints.servers", text };
  }
  // A mission's own deadline is judged by the trail, each time anew.
  const hasDeadline = contract.constraints.time_limit_hours !== null;
  const untilUnixMs = hasDeadline ? 0 : 1000 * stampSeconds(lease.expires_at);
  return { server, lease, contract, untilUnixMs };
}

/**
 * Judges a call by what its session agreed to; paths are followed on the disk as it is now.
 *
 * @param ctx The call.
 * @param agreed The session.
 * @param use What the call does; undefined when only the session is asked about.
 * @returns The verdict.
 */
export function judgeToolUse(
  ctx: CallContext,
  agreed: AgreedSession,
  use: GatedUse | undefined,
): GateVerdict {
  const refused = use && (toolFault(use, agreed) ?? pathFault(ctx, use, agreed));
  if (refused !== undefined) return refused;
  return { kind: "allowed", allows: (given) => toolFault(given, agreed) === undefined };
}

/** What an agent may do about a refusal. */
const RECONTRACT = "Stay within the contract, or ask the owner for another one with hai_recontract";

type RefusedCall = GateVerdict & { readonly kind: "refused" };

function toolFault(
  { tool, action }: Pick<GatedUse, "tool" | "action">,
  { contract, lease, server }: AgreedSession,
): RefusedCall | undefined {
  const { tools } = contract.constraints;
  if (!matches(tool, tools) && !matches(`${server}/${tool}`, tools)) {
    const text = `the contract does not name the tool ${tool}. ${RECONTRACT}`;
    return { kind: "refused", code: "constraints.tools", text };
  }
  if (normalActions(lease.capabilities).includes(action)) return undefined;
  const text = `the session was not granted "${action}", which ${tool} is. ${RECONTRACT}`;
  return { kind: "refused", code: "constraints.capabilities", text };
}

function pathFault(
  ctx: CallContext,
  { paths }: GatedUse,
  { contract, lease }: AgreedSession,
): RefusedCall | undefined {
  if (paths.length === 0) return undefined;
  const code = "constraints.allowed_paths";
  const root = rootOf(ctx, contract, lease.device_id);
  if (root instanceof CallRefusal) return { kind: "refused", code, text: root.message };
  const allowed = contract.constraints.allowed_paths;
  const outside = judgePaths(ctx, paths, { root, allowed }).find((path) => path.outside !== null);
  if (outside === undefined) return undefined;
  const text =
    `the path ${outside.path} is outside the contract: ${outside.outside}. ${RECONTRACT}`;
  return { kind: "refused", code, text };
}

/** Whether a name is one of a list's, in which `*` is any letters; no list allows every name. */
function matches(name: string, globs: readonly string[] | undefined): boolean {
  return globs === undefined || globs.some((glob) => {
    const [first = "", ...rest] = glob.trim().split("*");
    if (rest.length === 0) return name === first;
    const last = rest.pop() ?? "";
    if (name.length < first.length + last.length) return false;
    if (!name.startsWith(first) || !name.endsWith(last)) return false;
    let at = first.length;
    const end = name.length - last.length;
    for (const part of rest) {
      const found = name.indexOf(part, at);
      if (found < 0 || found + part.length > end) return false;
      at = found + part.length;
    }
    return true;
  });
}
