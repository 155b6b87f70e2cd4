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
import { runOwnerWork, WORK_ACTIONS } from "./hai_owner_work.ts";
import {
  challengeLine,
  challengeLines,
  decide,
  type OwnerDecision,
  waitingChallenges,
} from "../../hai/owner/owner_desk.ts";
import type { Challenge } from "../../hai/state/records.ts";
import type { HaiShell } from "../../hai/shell/hai_shell.ts";
import type { Runtime } from "../../ports/runtime.ts";
import type { Terminal } from "../../runtime/terminal.ts";

/** The owner's command line. */
interface OwnerWish {
  /** `list`, `show`, `approve` or `deny`. */
  readonly action: string;
  /** The challenge; undefined when it was left out. */
  readonly challengeId: string | undefined;
}

/** Actions of the command. */
export const OWNER_ACTIONS: readonly string[] = [
  ...["list", "show", "approve", "deny", "pin"],
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
export async function runOwner(
  wish: OwnerWish,
  shell: HaiShell,
  io: { readonly runtime: Runtime; readonly terminal: Terminal },
): Promise<number> {
  const { runtime, terminal } = io;
  if (!terminal.isPresent) {
    runtime.say("Cannot go on: the owner decides at a terminal, and this is none");
    return 1;
  }
  if (WORK_ACTIONS.includes(wish.action)) {
    const { action, challengeId: sessionId } = wish;
    const { status, lines } = await runOwnerWork(shell, { action, sessionId });
    for (const line of lines) runtime.print(line);
    return status;
  }
  if (wish.action === "pin") return await pinHere(shell, io);
  const waiting = await waitingFor(shell);
  if (typeof waiting === "string") {
    runtime.say(waiting);
    return 1;
  }
  if (wish.action === "list") {
    for (const challenge of waiting) runtime.print(challengeLine(challenge));
    if (waiting.length === 0) runtime.print("Nothing waits for you.");
    return 0;
  }
  const chosen = wish.challengeId === undefined
    ? waiting.length === 1 ? waiting[0] : undefined
    : waiting.find((challenge) => challenge.challenge_id === wish.challengeId);
  if (chosen === undefined) {
    const isNamed = wish.challengeId !== undefined;
    if (isNamed) runtime.say("No such challenge waits for you");
    else if (waiting.length === 0) runtime.say("Nothing waits for you");
    else runtime.say(`Name the challenge: ${waiting.length} wait`);
    return 1;
  }
  for (const line of challengeLines(chosen)) runtime.print(line);
  if (wish.action === "show") return 0;
  return await settle(wish.action, chosen, { shell, ...io });
}

async function settle(
  action: string,
  chosen: Challenge,
  io: { readonly shell: HaiShell; readonly runtime: Runtime; readonly terminal: Terminal },
): Promise<number> {
  const { shell, runtime, terminal } = io;
  if (terminal.ask(`\nType ${action} to ${action} exactly this:`)?.trim() !== action) {
    runtime.say("Nothing was decided");
    return 1;
  }
  const verdict = action === "approve" ? "approved" : "denied";
  const { challenge_id: challengeId, fingerprint } = chosen;
  const isDone = await decideNow(shell, { challengeId, fingerprint, verdict });
  runtime.print(
    isDone
      ? `${challengeId}: ${verdict}.`
      : `${challengeId} does not wait any more; nothing was decided.`,
  );
  return isDone ? 0 : 1;
}

/** Pins the settings and the key of this command line, after the owner has seen both. */
async function pinHere(
  shell: HaiShell,
  { runtime, terminal }: { readonly runtime: Runtime; readonly terminal: Terminal },
): Promise<number> {
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

function waitingFor(shell: HaiShell): Promise<Challenge[] | string> {
  return shell.hold((ctx, owner) => {
    const key = owner.existingKey();
    if (key === undefined) return "Nothing waits: the owner's folder holds no key yet";
    return waitingChallenges(ctx, key);
  });
}

function decideNow(shell: HaiShell, decision: OwnerDecision): Promise<boolean> {
  return shell.hold((ctx, owner) => {
    const key = owner.existingKey();
    return key !== undefined && decide(ctx, key, decision);
  });
}
