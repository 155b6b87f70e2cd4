/**
 * What a contract costs on the path of a call: `deno task bench:gate`.
 *
 * One session whose trail has 1,000 events: a call with a path is judged, and its answer. Then 64
 * proxies call at once, and the owner revokes their session: how long the next call of each takes
 * to be refused. One process makes all of it, so the figures are upper bounds.
 *
 * @module
 */

import { ownerService } from "../../lib/hai/shell/owner_service.ts";
import { openToolGate } from "../../lib/hai/shell/tool_gate_shell.ts";
import type { ToolGate } from "../../lib/ports/tool_gate.ts";
import { HaiHome } from "../util/hai_home.ts";

const [CALLS, EVENTS, PROXIES] = [500, 1_000, 64];

function printed(what: string, times: number[]): void {
  times.sort((a, b) => a - b);
  const at = (part: number) => (times[Math.floor(part * (times.length - 1))] ?? NaN).toFixed(3);
  console.log(`${what}: median ${at(0.5)} ms, 99th percentile ${at(0.99)} ms`);
}

async function withSession(
  run: (hai: HaiHome, open: () => ToolGate, session: Record<string, string>) => Promise<void>,
): Promise<void> {
  const hai = new HaiHome();
  hai.unixMs = Date.now();
  const mission = await hai.open();
  const { session_id, session_token } = await hai.authorize(mission.mission_id);
  const job = { home: hai.home, ownerHome: hai.ownerHome, server: "s" };
  const open = () =>
    openToolGate({ ...job, sessionId: session_id, sessionToken: session_token }, {
      version: "0",
      unixMs: () => Date.now(),
    });
  await run(hai, open, { session_id, session_token });
  hai.remove();
}

const use = (hai: HaiHome) => ({
  tool: "read",
  action: "read",
  paths: [`${hai.project()}/src/a.ts`],
});

await withSession(async (hai, open, session) => {
  const step = { ...session, activity_step: "x", criterion_id: "dc-1" };
  for (let i = 0; i < EVENTS; i++) await hai.call("hai_check_activity", step);
  const gate = open();
  const times: number[] = [];
  for (let i = 0; i < CALLS; i++) {
    const start = performance.now();
    await gate.check(use(hai));
    await gate.check(undefined);
    times.push(performance.now() - start);
  }
  printed(`a call and its answer, ${EVENTS} events`, times);
});

await withSession(async (hai, open, { session_id = "" }) => {
  const gates = Array.from({ length: PROXIES }, open);
  for (const gate of gates) await gate.check(undefined);
  let revokedAt = Infinity;
  const times: number[] = [];
  const proxies = gates.map(async (gate) => {
    for (;;) {
      const start = performance.now();
      const verdict = await gate.check(use(hai));
      if (verdict.kind === "refused") {
        return void times.push(Math.max(0, performance.now() - Math.max(start, revokedAt)));
      }
      if (start > revokedAt) throw new Error("a call that began after the revoke has passed");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  await ownerService(hai.newShell({}, "the owner")).revoke(session_id);
  revokedAt = performance.now();
  await Promise.all(proxies);
  printed(`the next call is refused after a revoke, ${PROXIES} proxies`, times);
});
