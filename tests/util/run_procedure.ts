/**
 * Drives a run: asks the port for what the run wants, until it ends.
 *
 * @module
 */

import type { Procedure } from "../../lib/procedure/procedure.ts";
import { ProcedureRun } from "../../lib/procedure/run/run.ts";
import type { RunCall, RunEvent, RunOptions } from "../../lib/procedure/run/run_step.ts";
import type { RunReport } from "../../lib/procedure/run/run_report.ts";

/** The world, as a run sees it. */
export interface RunPort {
  /** Makes a call; settles with its answer, or with why there will be none. */
  call(call: RunCall): Promise<RunEvent & { readonly kind: "answered" | "lost" }>;
  /** Asks a person; only needed where writes are confirmed. */
  confirm?(call: RunCall): boolean | Promise<boolean>;
}

/**
 * Runs a procedure.
 *
 * @param procedure The procedure.
 * @param options What it is given, and how it is run.
 * @param port The world.
 * @returns What the run did.
 */
export async function runProcedure(
  procedure: Procedure,
  options: RunOptions,
  port: RunPort,
): Promise<RunReport> {
  const run = new ProcedureRun(procedure, options);
  let event: RunEvent = { kind: "begin" };
  for (;;) {
    const effect = run.step(event);
    if (effect.kind === "end") return run.report();
    if (effect.kind === "call") event = await port.call(effect.call);
    else {
      const isConfirmed = await port.confirm?.(effect.call) ?? false;
      event = { kind: isConfirmed ? "confirmed" : "declined" };
    }
  }
}
