/**
 * The drift check: is this activity inside what was agreed? First match wins:
 *
 * 1. a path outside → drift, stop · 2. a sensitive action not granted → drift,
 * stop · 3. no step → unclear, pause · 4. no criterion → unclear, pause ·
 * 5. criterion not in the contract → drift, stop · 6. not in the lease → drift,
 * request a recontract · 7. a non-goal in the step → park · 8. a declared
 * blocker → pause · 9. else in scope.
 *
 * A pure function of contract, lease and activity. Neither verdict nor clause
 * depends on the order of paths or actions; the reason names the first in
 * sorted order.
 *
 * @module
 */

import type { Contract, Lease } from "../state/records.ts";
import { byCodePoint } from "../state/state_json.ts";

/** Actions that need to be granted by name. */
export const SENSITIVE_ACTIONS: ReadonlySet<string> = new Set([
  "commit",
  "push",
  "deploy",
  "delete",
  "secrets",
  "force_push",
  "rm_rf",
]);

/** The planned or observed activity. */
interface Activity {
  /** The step in words. */
  readonly step: string;
  /** The criterion it serves; null when none was named. */
  readonly criterionId: string | null;
  /** Paths it touches, each already judged. */
  readonly paths: readonly JudgedPath[];
  /** Names of actions in the trace. */
  readonly actions: readonly string[];
  /** Whether it declares that the criterion is blocked. */
  readonly declaresBlocker: boolean;
  /** Whether one word of a non-goal's subject is enough to meet it. */
  readonly isStrict?: boolean;
}

/** A path as given, and why it is outside; null when it is inside. */
export interface JudgedPath {
  readonly path: string;
  readonly outside: string | null;
}

/** The verdict. */
interface ActivityVerdict {
  readonly classification: "in_scope" | "drift" | "unclear" | "park_candidate" | "blocker";
  readonly required_action: "continue" | "stop" | "pause" | "request_recontract" | "park";
  readonly reason: string;
  readonly clause: string | null;
}

/**
 * Classifies an activity.
 *
 * @param contract The contract.
 * @param lease The lease.
 * @param activity The activity.
 * @returns The verdict.
 */
export function classify(contract: Contract, lease: Lease, activity: Activity): ActivityVerdict {
  const step = activity.step.trim();
  const criterion = activity.criterionId?.trim() ?? "";
  const offender = first(activity.paths.filter((p) => p.outside !== null), (p) => p.path);
  if (offender !== undefined) {
    return stop(
      `path ${offender.path} is outside what was agreed: ${offender.outside}`,
      "constraints.allowed_paths",
    );
  }
  const action = first(
    normalActions(activity.actions).filter((name) =>
      SENSITIVE_ACTIONS.has(name) && !lease.capabilities.includes(name)
    ),
    (name) => name,
  );
  if (action !== undefined) {
    return stop(`action ${action} was not granted to this session`, "constraints.capabilities");
  }
  if (step === "") return unclear("activity_step is blank, so nothing can be judged", null);
  if (criterion === "") {
    return unclear(
      "no criterion_id says which criterion this serves",
      "done_criteria.reference_required",
    );
  }
  if (!contract.done_criteria.some((known) => known.id === criterion)) {
    return stop(`criterion ${criterion} is not in the contract`, "done_criteria.scope");
  }
  if (!lease.criterion_ids.includes(criterion)) {
    return {
      classification: "drift",
      required_action: "request_recontract",
      reason: `criterion ${criterion} is in the contract but not in this session's lease`,
      clause: "session.criterion_ids",
    };
  }
  const { declaresBlocker, isStrict = false } = activity;
  return byContent(contract, { step, criterion, declaresBlocker, isStrict });
}

/** Names of actions as they are compared: no outer blanks, lower case. */
export function normalActions(actions: readonly string[]): string[] {
  return actions.map((action) => action.trim().toLowerCase());
}

/**
 * Judges a path below a root by the allowed prefixes.
 *
 * @param relative The path below the root, `/` between names; empty for the root.
 * @param allowed The prefixes; none allows everything.
 * @returns Whether it is inside.
 */
export function isAllowed(relative: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0) return true;
  // A blank entry allows nothing: a reader could overlook it.
  return allowed.filter((prefix) => prefix.trim() !== "").map(normalPrefix).some((prefix) =>
    prefix === "" || relative === prefix || relative.startsWith(`${prefix}/`)
  );
}

/** `./src/` and `src` are one prefix; `.` is the root. */
function normalPrefix(prefix: string): string {
  return prefix.trim().split("/").filter((name) => name !== "" && name !== ".").join("/");
}

function byContent(
  contract: Contract,
  given: {
    readonly step: string;
    readonly criterion: string;
    readonly declaresBlocker: boolean;
    readonly isStrict: boolean;
  },
): ActivityVerdict {
  const step = folded(given.step);
  const nonGoal = contract.non_goals.find((goal) =>
    step.includes(folded(goal)) || meets(step, contentWords(goal), given)
  );
  if (nonGoal !== undefined) {
    return {
      classification: "park_candidate",
      required_action: "park",
      reason: `the step names the non-goal "${nonGoal}"`,
      clause: "non_goals",
    };
  }
  if (given.declaresBlocker) {
    return {
      classification: "blocker",
      required_action: "pause",
      reason: `the session declares criterion ${given.criterion} blocked`,
      clause: "done_criteria.blocked",
    };
  }
  return {
    classification: "in_scope",
    required_action: "continue",
    reason: `the step serves criterion ${given.criterion}, and no path or action is outside`,
    clause: null,
  };
}

/** Words that say what not to do, or carry no subject of their own. */
const EMPTY_WORDS = new Set(
  ("a an and any anything are at be by do does don't dont for from in is it its never no not nothing of on or " +
    "out that the them this to with without avoid refrain").split(" "),
);

/** The words of a non-goal that name its subject: "Do not touch the MCP server." gives three. */
function contentWords(goal: string): string[] {
  return wordsOf(folded(goal)).filter((word) => !EMPTY_WORDS.has(word));
}

/** Whether a step names every one of them, from two on; strictly, any one. */
function meets(
  step: string,
  words: readonly string[],
  { isStrict }: { readonly isStrict: boolean },
): boolean {
  const named = new Set(wordsOf(step));
  if (isStrict) return words.some((word) => named.has(word));
  return words.length >= 2 && words.every((word) => named.has(word));
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_'-]+/gu) ?? [];
}

/** Neither case nor the way a letter is composed makes another text. */
function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

function stop(reason: string, clause: string): ActivityVerdict {
  return { classification: "drift", required_action: "stop", reason, clause };
}

function unclear(reason: string, clause: string | null): ActivityVerdict {
  return { classification: "unclear", required_action: "pause", reason, clause };
}

function first<T>(items: readonly T[], name: (item: T) => string): T | undefined {
  return [...items].sort((a, b) => byCodePoint(name(a), name(b)))[0];
}
