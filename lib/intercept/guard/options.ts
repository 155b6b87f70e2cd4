/**
 * The flags of the guards, and the options they make.
 *
 * @module
 */

import { FlagFault, type FlagReader } from "../../flags/flag_reader.ts";
import type { Flag, FlagValues } from "../../flags/flags.ts";
import type { SecondQuestion } from "../../guard/judge/confirm_question.ts";
import type { JudgeRule } from "../../guard/judge/judge_verdict.ts";
import type { RuleSource } from "../../guard/rules/rules_source.ts";

/** The flags. */
export const GUARD_FLAGS: readonly Flag[] = [
  {
    name: "guards",
    help: "Check each call with the rules of --domain (retail or airline), or of --guard-rules, " +
      "before the server sees it; refuse what an enforced rule refuses.",
  },
  {
    name: "guard-rules",
    value: "FILE",
    help:
      "A rule file, JSON or YAML, in place of the shipped rules; then --domain may be any. See " +
      "docs/guards.md.",
  },
  {
    name: "confirm-judge",
    value: "log|enforce",
    help: "Ask the oracle whether the customer agreed to each write that rules check for a " +
      "confirmation: log the answer, or also refuse on a no. Needs --guards and --context.",
  },
  {
    name: "confirm-second",
    value: "proposed|described",
    help: "Also ask whether the agent had proposed the change, or described each value of it; a " +
      "write then fails unless both answers are yes.",
  },
  { name: "confirm-second-shadow", help: "Log the second answer, and judge on the first alone." },
  {
    name: "confirm-threshold",
    value: "P",
    help: "A write fails on a probability of yes below this. Default: 0.5.",
  },
  {
    name: "confirm-questions",
    value: "N",
    help: "Questions of judge and rules to the oracle a session, at most. Default: 100.",
  },
  {
    name: "confirm-log",
    value: "FILE",
    help:
      "Append each judgement, and each answer to a rule's question, here; {session} as in --context. " +
      "Default: <session>.confirm.jsonl beside the session's log.",
  },
];

/** How confirmations are judged. */
export interface JudgeFlags {
  readonly rule: JudgeRule;
  readonly isEnforced: boolean;
}

/** What an oracle is asked about writes, by the judge and by rules. */
export interface AskingFlags {
  /** Questions a session. */
  readonly questions: number;
  /** The confirm log's name, `{session}` in it. */
  readonly log: string | undefined;
}

/** How calls are guarded. */
export interface GuardOptions {
  /** A rule file's path, or a domain's shipped rules. */
  readonly rules: { readonly path?: string; readonly domain?: string };
  readonly judge: JudgeFlags | undefined;
  /** Undefined where no oracle is asked about writes. */
  readonly asking: AskingFlags | undefined;
}

/** Rules that were read and checked. */
export interface GuardJob {
  readonly source: RuleSource;
  /** Whether rules ask questions, and an oracle answers them. */
  readonly asks: boolean;
}

/** Flags that the questions of rules use as the judge does. */
const ASKING_FLAGS = ["confirm-questions", "confirm-log"];

const SECOND_QUESTIONS = ["proposed", "described"] satisfies readonly SecondQuestion[];

/** Domains whose rules are shipped; lib/guard/rules/shipped_rules.ts loads them. */
export const SHIPPED_DOMAINS = ["airline", "retail"] as const;

/** Reads the flags; undefined without `--guards`. Throws a fault when one is wrong. */
export function parseGuardFlags(read: FlagReader, values: FlagValues): GuardOptions | undefined {
  const rules = parseRules(values, read);
  const context = values.get("context");
  const judge = parseJudge(values, read, { hasGuards: rules !== undefined, context });
  const asking = parseAsking(values, read, rules !== undefined);
  return rules && { rules, judge, asking };
}

/** An oracle is asked about writes where a flag says so: the judge's, or `--oracle`. */
function parseAsking(
  values: FlagValues,
  read: FlagReader,
  canAsk: boolean,
): AskingFlags | undefined {
  if (!canAsk || !["confirm-judge", "oracle"].some((name) => values.has(name))) {
    const stray = ASKING_FLAGS.find((name) => values.has(name));
    if (stray === undefined) return undefined;
    throw new FlagFault(`--${stray} needs --confirm-judge, or --guards and --oracle`);
  }
  return { questions: read.count("confirm-questions") ?? 100, log: read.path("confirm-log") };
}

function parseRules(values: FlagValues, read: FlagReader): GuardOptions["rules"] | undefined {
  const path = read.path("guard-rules");
  if (!values.has("guards")) {
    if (path !== undefined) throw new FlagFault("--guard-rules needs --guards");
    return undefined;
  }
  if (path !== undefined) return { path };
  const domain = values.get("domain");
  if (SHIPPED_DOMAINS.some((known) => known === domain)) return { domain: domain ?? "" };
  const given = domain === undefined ? "" : `, not "${domain}"`;
  throw new FlagFault(
    `--guards needs --domain ${
      SHIPPED_DOMAINS.join(" or ")
    }${given}; for others give --guard-rules FILE`,
  );
}

function parseJudge(
  values: FlagValues,
  read: FlagReader,
  { hasGuards, context }: { readonly hasGuards: boolean; readonly context: string | undefined },
): JudgeFlags | undefined {
  const mode = read.oneOf("confirm-judge", ["log", "enforce"]);
  if (mode === undefined) {
    const stray = GUARD_FLAGS.find(({ name }) =>
      name.startsWith("confirm-") && !ASKING_FLAGS.includes(name) && values.has(name)
    );
    if (stray !== undefined) throw new FlagFault(`--${stray.name} needs --confirm-judge`);
    return undefined;
  }
  if (!hasGuards) throw new FlagFault("--confirm-judge needs --guards");
  if (context === undefined) throw new FlagFault("--confirm-judge needs --context");
  const wording = read.oneOf("confirm-second", SECOND_QUESTIONS);
  const isShadow = values.has("confirm-second-shadow");
  if (isShadow && wording === undefined) {
    throw new FlagFault("--confirm-second-shadow needs --confirm-second");
  }
  return {
    rule: {
      threshold: read.probability("confirm-threshold") ?? 0.5,
      ...(wording === undefined ? {} : { second: { wording, isShadow } }),
    },
    isEnforced: mode === "enforce",
  };
}
