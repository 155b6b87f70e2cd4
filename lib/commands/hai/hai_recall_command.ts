/**
 * `hai-mcp recall` and `hai-mcp limits`: what is open, and what there is to
 * work with.
 *
 * @module
 */

import type { CallContext } from "../../hai/call/call_context.ts";
import { capacityOf } from "../../hai/ledger/learning.ts";
import { plainText } from "../../text/plain_text.ts";
import { recallReport, resolveItem, type ResolveWish } from "../../hai/ledger/recall.ts";
import { CallRefusal, StateCorruptError, type ToolReply } from "../../hai/state/refusal.ts";
import { indentedJson } from "../../hai/state/state_json.ts";
import type { HaiShell } from "../../hai/shell/hai_shell.ts";
import type { Runtime } from "../../ports/runtime.ts";

/**
 * Shows what is open.
 *
 * @param shell The control plane.
 * @param runtime Where to print.
 * @param options How much, and whether as JSON.
 * @returns The exit status.
 */
export async function runRecallShow(
  shell: HaiShell,
  runtime: Runtime,
  options: { readonly limit: number; readonly isJson: boolean },
): Promise<number> {
  const report = await onState(shell, (ctx) => recallReport(ctx, options.limit));
  if (options.isJson || report.ok !== true) {
    runtime.print(indentedJson(report));
    return report.ok === true ? 0 : 1;
  }
  runtime.print(`${report.open_total} open`);
  for (const backlog of Array.isArray(report.backlogs) ? report.backlogs : []) {
    runtime.print(`\n${backlog.title}: ${backlog.open}`);
    for (const item of backlog.shown) {
      const age = item.age_days === null ? "" : `${item.age_days} d  `;
      runtime.print(plainText(`  ${item.item_id}  ${age}${item.summary}`));
    }
  }
  return 0;
}

/**
 * Records how an item ended.
 *
 * @param shell The control plane.
 * @param runtime Where to print.
 * @param wish The item and its end.
 * @returns The exit status.
 */
export async function runRecallResolve(
  shell: HaiShell,
  runtime: Runtime,
  wish: ResolveWish,
): Promise<number> {
  const reply = await onState(shell, (ctx) => resolveItem(ctx, wish));
  runtime.print(indentedJson(reply));
  return reply.ok === true ? 0 : 1;
}

/**
 * Shows capacity and suspension.
 *
 * @param shell The control plane.
 * @param runtime Where to print.
 * @param options Whether as JSON.
 * @returns The exit status.
 */
export async function runLimits(
  shell: HaiShell,
  runtime: Runtime,
  { isJson }: { readonly isJson: boolean },
): Promise<number> {
  const reply = await onState(
    shell,
    (ctx) => ({ ok: true, ...capacityOf(ctx.tx, ctx.world.unixMs) }),
  );
  if (isJson || reply.ok !== true) {
    runtime.print(indentedJson(reply));
    return reply.ok === true ? 0 : 1;
  }
  const { worker_capacity, credit_balance, capacity_degraded_reason, suspension } = reply;
  runtime.print(`workers: ${worker_capacity}\ncredits: ${credit_balance}`);
  runtime.print(`limits:  ${plainText(indentedJson(suspension).replaceAll(/\s+/g, " "))}`);
  if (capacity_degraded_reason !== undefined) {
    runtime.print(plainText(`degraded: ${capacity_degraded_reason}`));
  }
  return 0;
}

async function onState(
  shell: HaiShell,
  work: (ctx: CallContext) => ToolReply | CallRefusal,
): Promise<ToolReply> {
  try {
    return await shell.hold((ctx) => {
      const result = work(ctx);
      return result instanceof CallRefusal ? result.toReply() : result;
    });
  } catch (error) {
    if (!(error instanceof StateCorruptError)) throw error;
    return new CallRefusal("state_corrupt", error.message, { file: error.file }).toReply();
  }
}
