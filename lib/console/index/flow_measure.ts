/**
 * Measures a session that ran with a flow, as `hoist savings` does, of its log and its flow log.
 *
 * @module
 */

import { readLog } from "../../disk/read_log.ts";
import { readFlowLog } from "../../flow/walking/read_flow_log.ts";
import type { DrawnSession } from "../../savings/compare_arms.ts";
import { measureSession } from "../../savings/measured_session.ts";
import { manifestOf } from "../../trace/manifest.ts";
import { traceOf } from "../../trace/trace.ts";
import { SAME_TURN_MS } from "../../trace/turns.ts";

/** Larger logs are not held in memory for this. */
const MAX_BYTES = 20_000_000;

/**
 * Measures a session.
 *
 * @param path Its log.
 * @returns What it cost; undefined when it has no flow log beside it, or one that cannot be read.
 */
export async function measureFlow(path: string): Promise<DrawnSession | undefined> {
  const flowPath = path.replace(/\.jsonl$/, ".flow.jsonl");
  try {
    const sizes = [path, flowPath].map((file) => Deno.statSync(file).size);
    if (sizes.some((size) => size > MAX_BYTES)) return undefined;
    const flow = readFlowLog(Deno.readTextFileSync(flowPath), flowPath);
    const log = await readLog(path);
    const trace = traceOf(log);
    const { arm } = flow.arms.find(({ session }) => session === log.header.session) ?? {};
    const facts = {
      leftOut: flow.leftOut,
      kinds: manifestOf(trace, "").tools,
      sameTurnMs: SAME_TURN_MS,
    };
    return { ...measureSession(trace, log.header, facts), arm };
  } catch {
    return undefined; // The session's own page names the faults of its log.
  }
}
