/**
 * `hai-mcp owner`: the owner looks at what waits and decides.
 *
 * It needs a terminal and the key in the owner's folder. That keeps out a
 * program that only has the tools; it does not keep out one that has the same
 * user's shell, as docs/hai_owner_gate.md says.
 *
 * @module
 */

import { pinNow } from "../../hai/call/call_context.ts";
import { ownerSigner } from "../../hai/state/signatures.ts";
import { listLines, requestLines, type RequestView } from "../../hai/desk/request_view.ts";
import type { HaiShell } from "../../hai/shell/hai_shell.ts";
import { type OwnerService, ownerService } from "../../hai/shell/owner_service.ts";
import { requestChanges } from "../../hai/shell/request_changes.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { desktopNotice } from "../../runtime/desktop_notice.ts";
import type { Terminal } from "../../runtime/terminal.ts";
import { runWatch } from "./hai_owner_watch.ts";
import { named, VERDICTS } from "./hai_owner_wish.ts";
import { runOwnerWork, WORK_ACTIONS } from "./hai_owner_work.ts";

/** The owner's command line. */
interface OwnerWish {
  /** One of {@linkcode OWNER_ACTIONS}. */
  readonly action: string;
  /** What it names: requests, or a session. */
  readonly ids: readonly string[];
  /** The state root, as configured. */
  readonly home: string;
  /** Whether `watch` tells the desktop too. */
  readonly isNotifying: boolean;
}

/** Where to print and ask. */
interface OwnerIo {
  readonly runtime: Runtime;
  readonly terminal: Terminal;
}

/** Actions of the command. */
export const OWNER_ACTIONS: readonly string[] = [
  ...["list", "watch", "show", ...Object.keys(VERDICTS), "pin"],
  ...WORK_ACTIONS,
];

/**
 * Runs the command.
 *
 * @param wish What the owner wants.
 * @param shell The control plane.
 * @param io Where to print and ask.
 * @returns The exit status.
 */
export async function runOwner(wish: OwnerWish, shell: HaiShell, io: OwnerIo): Promise<number> {
  const { runtime, terminal } = io;
  if (!terminal.isPresent) {
    runtime.say("Cannot go on: the owner decides at a terminal, and this is none");
    return 1;
  }
  const { action, ids } = wish;
  const service = ownerService(shell);
  if (WORK_ACTIONS.includes(action)) {
    const { status, lines } = await runOwnerWork(service, { action, sessionId: ids[0] });
    for (const line of lines) runtime.print(line);
    return status;
  }
  if (action === "pin") return await pinHere(shell, io);
  if (action === "watch") return await watchHere(wish, service, io);
  const open = await service.requests();
  if ("problem" in open) {
    runtime.say(open.problem);
    return 1;
  }
  if (action === "list") {
    for (const line of listLines(open)) runtime.print(line);
    if (open.length === 0) runtime.print("Nothing waits for you.");
    return 0;
  }
  const fit = action === "undo" ? "approved" : action === "show" ? undefined : "pending";
  const views = fit === undefined ? open : open.filter(({ status }) => status === fit);
  const chosen = choose(views, ids, action);
  if (typeof chosen === "string") {
    runtime.say(chosen);
    return 1;
  }
  let status = 0;
  for (const view of chosen) {
    for (const line of requestLines(view, terminal.width)) runtime.print(line);
    if (action !== "show") {
      status = Math.max(status, await settle(action, view, { service, ...io }));
    }
  }
  return status;
}

/** The requests that are named; the only one where none is. */
function choose(
  views: readonly RequestView[],
  ids: readonly string[],
  action: string,
): readonly RequestView[] | string {
  if (ids.length > 0) {
    const found = [...new Set(ids)].map((id) => named(views, id));
    const wrong = found.find((view) => typeof view === "string");
    return wrong ?? found.filter((view) => typeof view !== "string");
  }
  if (views.length === 1) return views;
  if (views.length > 0) return `Name the challenge: ${views.length} wait`;
  return action === "undo" ? "No approval is left to be taken back" : "Nothing waits for you";
}

/** An approval gives a right, so it is asked for; what takes one away is done at once. */
async function settle(
  action: string,
  { id, fingerprint }: RequestView,
  io: OwnerIo & { readonly service: OwnerService },
): Promise<number> {
  const { service, runtime, terminal } = io;
  const verdict = VERDICTS[action];
  if (verdict === undefined) return 1;
  const question = `\nType ${action} to ${action} exactly this:`;
  if (action === "approve" && terminal.ask(question)?.trim() !== action) {
    runtime.say("Nothing was decided");
    return 1;
  }
  const isDone = await service.decide({ challengeId: id, fingerprint, verdict });
  const said = verdict === "pending"
    ? "taken back, it waits again"
    : verdict === "later"
    ? "waits as long again"
    : verdict;
  runtime.print(isDone ? `${id}: ${said}.` : `${id} does not wait any more; nothing was decided.`);
  return isDone ? 0 : 1;
}

async function watchHere(
  { home, isNotifying }: OwnerWish,
  service: OwnerService,
  { runtime, terminal }: OwnerIo,
): Promise<number> {
  const notice = isNotifying ? desktopNotice((problem) => runtime.say(problem)) : undefined;
  if (notice?.kind === "unavailable") {
    runtime.say(notice.problem);
    return 1;
  }
  if (notice !== undefined) runtime.print(`Desktop notices by ${notice.program}.`);
  const ended = new AbortController();
  try {
    return await runWatch({
      service,
      runtime,
      terminal,
      changes: requestChanges(home, ended.signal),
      // Names of ours alone: any local user may read them while the notice is shown.
      notify: notice &&
        (({ tag, action }) => notice.show("hai-mcp: a request waits", `${action} (${tag})`)),
    });
  } finally {
    ended.abort();
  }
}

/** Pins the settings and the key of this command line, after the owner has seen both. */
async function pinHere(shell: HaiShell, { runtime, terminal }: OwnerIo): Promise<number> {
  const shown = await shell.hold((ctx, owner) => {
    const before = owner.pin();
    const { gate, policy, home } = ctx.config;
    const unsealed = "fault" in ctx.world.chain
      ? []
      : [...ctx.world.chain.trail.unverified.values()];
    return [
      `state:  ${home}`,
      `pinned: ${
        before === undefined ? "nothing" : `gate ${before.gate}, policy ${before.policy}`
      }`,
      `now:    gate ${gate}, policy ${policy}`,
      ...unsealed.map((event) => `unsealed, and from now on believed: ${event}`),
    ];
  });
  for (const line of shown) runtime.print(line);
  if (terminal.ask("\nType pin to pin this:")?.trim() !== "pin") {
    runtime.say("Nothing was pinned");
    return 1;
  }
  const problem = await shell.hold((ctx, owner) => {
    const held = owner.key();
    if ("problem" in held) return held.problem;
    if ("fault" in ctx.world.chain) return ctx.world.chain.fault.message;
    const pin = pinNow(ctx, { signer: ownerSigner(held.key), before: undefined });
    owner.savePin(held.key, pin);
    owner.saveCheckpoint(held.key, { mark: pin.from, trail: ctx.world.chain.trail.snapshot() });
    return undefined;
  });
  if (problem !== undefined) runtime.say(problem);
  else runtime.print("Pinned. Start servers that run anew.");
  return problem === undefined ? 0 : 1;
}
