/**
 * The gate of a contract on a control plane's state on disk, for a proxy. It fails closed:
 * whatever keeps it from judging is a refusal.
 *
 * @module
 */

import type { GateJob, GateVerdict, ToolGate } from "../../ports/tool_gate.ts";
import { judgeToolUse } from "../gate/tool_gate.ts";
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
  let last: { readonly verdict: Allowed; readonly head: string; readonly atMs: number } | undefined;
  const isSame = ({ verdict, head, atMs }: NonNullable<typeof last>) => {
    const now = machine.unixMs();
    return now >= atMs && now < verdict.untilUnixMs && headOf(home) === head;
  };
  return {
    async check(use) {
      // Every event of the trail makes a new HEAD: without one the session is what it was.
      if (use === undefined && last !== undefined && isSame(last)) return last.verdict;
      const [head, atMs] = [headOf(home), machine.unixMs()];
      last = undefined;
      try {
        const verdict = await shell.hold((ctx) => {
          if ("fault" in ctx.world.chain) throw ctx.world.chain.fault;
          return judgeToolUse(ctx, session, use);
        });
        if (verdict.kind === "allowed" && head !== undefined) last = { verdict, head, atMs };
        return verdict;
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

type Allowed = GateVerdict & { readonly kind: "allowed" };

/** What tells one HEAD of the trail from another; undefined when there is none. */
function headOf(home: string): string | undefined {
  try {
    const { ino, size, mtime } = Deno.statSync(`${home}/audit/HEAD.json`);
    return `${ino} ${size} ${mtime?.getTime()}`;
  } catch {
    return undefined;
  }
}
