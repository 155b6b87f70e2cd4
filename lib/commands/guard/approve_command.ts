/**
 * `hoist approve`: a person looks at the calls that wait, and answers.
 *
 * Answering needs a terminal. That keeps out an agent that only has tools; it does not keep out
 * one that has the same user's shell, as docs/approvals.md says.
 *
 * @module
 */

import { heldLine, heldLines } from "../../approval/shown.ts";
import type { ApprovalVerdict } from "../../approval/answer.ts";
import { commandOf, type Run, UsageError } from "../../cli/command.ts";
import { expandHome } from "../../flags/expand_home.ts";
import type { FlagTable } from "../../flags/flags.ts";
import type { Answering, ApprovalDesk, WaitingCall } from "../../ports/approval_desk.ts";

/** The table of `hoist approve`. */
export const APPROVE_COMMAND_FLAGS: FlagTable = {
  program: "hoist approve",
  summary: "Shows the calls that hoist-mcp --approve holds, and answers them.",
  examples: ["hoist approve", "hoist approve list", "hoist approve show 3f9c0a51d2e4"],
  usage: ["[OPTIONS]", "[OPTIONS] list", "[OPTIONS] (show | yes | no) [ID]"],
  positionals: ["ACTION", "ID"],
  flags: [
    {
      name: "approve-dir",
      value: "DIR",
      help: "The folder of held calls. Default: ~/.hoist/approvals.",
    },
  ],
  notes: [
    "Without an action it watches: each call that comes is shown whole, and you type yes or no.\n" +
    "The ID may be left out where one call waits. See docs/approvals.md.",
    "Exit status: 0 done; 1 nothing was decided; 2 wrong usage.",
  ],
};

const ACTIONS = ["watch", "list", "show", "yes", "no"] as const;

/** What an answer that does not count comes from. */
const FAILED: Readonly<Record<Exclude<Answering, "done">, string>> = {
  gone: "it does not wait any more; nothing was decided",
  changed: "it is not what you were shown; nothing was decided",
  answered: "it has been answered already",
};

type Desk = Run<{ readonly desk: ApprovalDesk }>;

/** Runs `hoist approve`. */
export const approveCommand = commandOf(APPROVE_COMMAND_FLAGS, approve);

async function approve(run: Desk): Promise<number> {
  const { values, runtime, desk } = run;
  const [given = "watch", id, surplus] = values.positionals;
  const action = ACTIONS.find((known) => known === given);
  if (action === undefined) {
    throw new UsageError(`There is no action "${given}": it is ${ACTIONS.slice(1).join(", ")}`);
  }
  if (surplus !== undefined || (id !== undefined && (action === "list" || action === "watch"))) {
    throw new UsageError(`"${action}" takes ${action === "list" ? "nothing" : "one ID"} more`);
  }
  const wanted = values.get("approve-dir") ?? "~/.hoist/approvals";
  const dir = expandHome(wanted, runtime.env("HOME") ?? runtime.env("USERPROFILE"));
  if (dir === null) throw new UsageError(`--approve-dir "${wanted}": HOME is not set`);
  if (action === "list") {
    const waiting = desk.waiting(dir);
    for (const { call } of waiting) runtime.print(heldLine(call));
    if (waiting.length === 0) runtime.print("Nothing waits for you.");
    return 0;
  }
  if (action !== "show" && !desk.hasTerminal) {
    runtime.say("Cannot go on: a person answers at a terminal, and this is none");
    return 1;
  }
  if (action === "watch") return await watch(run, dir);
  const chosen = choose(run, desk.waiting(dir), id);
  if (chosen === undefined) return 1;
  show(run, chosen);
  if (action === "show") return 0;
  const typed = desk.ask(`\nType ${action} to say ${action} to exactly this:`)?.trim();
  if (typed === action) return answer(run, { dir, chosen, verdict: verdictOf(action) }) ? 0 : 1;
  runtime.say("Nothing was decided");
  return 1;
}

/** The call that is meant; undefined, and said, when none is. */
function choose(
  { runtime }: Desk,
  waiting: readonly WaitingCall[],
  id: string | undefined,
): WaitingCall | undefined {
  const [only] = waiting;
  const found = id === undefined
    ? waiting.length === 1 ? only : undefined
    : waiting.find(({ call }) => call.id === id);
  if (found !== undefined) return found;
  if (waiting.length === 0) runtime.say("Nothing waits for you");
  else if (id !== undefined) runtime.say("No such call waits for you");
  else runtime.say(`Name the call: ${waiting.length} wait`);
  return undefined;
}

/** Shows each call that comes, and asks, until the input ends. */
async function watch(run: Desk, dir: string): Promise<number> {
  const { runtime, desk } = run;
  /** Left for later, by what was shown. */
  const left = new Set<string>();
  runtime.print("Waiting for calls; Ctrl-C ends this.");
  for (;;) {
    const next = desk.waiting(dir).find(({ fingerprint }) => !left.has(fingerprint));
    if (next === undefined) {
      await desk.pause();
      continue;
    }
    runtime.print("\x07"); // The bell.
    show(run, next);
    const typed = desk.ask("\nType yes or no to answer exactly this, or nothing to leave it:");
    if (typed === undefined) return 0;
    const word = typed.trim();
    if (word === "yes" || word === "no") {
      answer(run, { dir, chosen: next, verdict: verdictOf(word) });
    } else {
      left.add(next.fingerprint);
      runtime.print(`${next.call.id}: left; 'hoist approve yes ${next.call.id}' answers it later.`);
    }
  }
}

function show({ runtime }: Desk, { call }: WaitingCall): void {
  for (const line of heldLines(call)) runtime.print(line);
}

function verdictOf(word: "yes" | "no"): ApprovalVerdict {
  return word === "yes" ? "approved" : "denied";
}

/** Answers what was shown; whether it counts. */
function answer(
  { runtime, desk }: Desk,
  { dir, chosen, verdict }: {
    readonly dir: string;
    readonly chosen: WaitingCall;
    readonly verdict: ApprovalVerdict;
  },
): boolean {
  const { call: { id }, fingerprint } = chosen;
  const came = desk.answer(dir, { id, fingerprint, verdict });
  runtime.print(`${id}: ${came === "done" ? verdict : FAILED[came]}.`);
  return came === "done";
}
