/**
 * Reads which rules to test on which recorded sessions.
 *
 * @module
 */

import type { RuleSet } from "../../guard/rules/compile_rules.ts";
import { openGuardRules } from "../../guard/rules/open_rules.ts";
import { GUARDED_DOMAINS, shippedRules } from "../../guard/rules/shipped_rules.ts";
import { UsageError } from "../../cli/command.ts";
import type { Flag, FlagValues } from "../../flags/flags.ts";
import {
  RECORDINGS_FLAGS,
  type RecordingsRequest,
  requestOf,
} from "../sessions/recordings_flags.ts";
import type { FileStore } from "../../ports/files.ts";

/** Optional here, and may be repeated. */
const DOMAIN_FLAG: Flag = {
  name: "domain",
  value: "NAME",
  repeat: true,
  help:
    "The domain of the shipped rules: airline or retail. With --results and --tau2 other sessions are skipped. " +
    "Default: both; with --sessions that of the logs.",
};

/** The flags that name rules and sessions. */
export const GUARD_TASK_FLAGS: readonly Flag[] = [
  {
    name: "guard-rules",
    value: "FILE",
    help: "A rule file, JSON or YAML, in place of the shipped rules. See docs/guards.md.",
  },
  ...RECORDINGS_FLAGS.flatMap((flag) => {
    if (flag.name === "manifest") return []; // Rules name their tools themselves.
    return [flag.name === "domain" ? DOMAIN_FLAG : flag];
  }),
];

/** Rules, and the sessions to check them on. */
export interface GuardTask {
  readonly request: RecordingsRequest;
  /** The rules for the sessions' domain. */
  rulesFor(domain: string): RuleSet;
  /** `shipped`, or the rule file. */
  readonly source: string;
}

/**
 * Reads the flags, and the rule file they name.
 *
 * @param values The command line.
 * @param files Where rules are.
 * @returns One task per domain.
 * @throws {UsageError} When the flags do not go together or a domain has no rules.
 */
export async function guardTasks(values: FlagValues, files: FileStore): Promise<GuardTask[]> {
  const path = values.get("guard-rules");
  const own = path === undefined
    ? undefined
    : await openGuardRules(await files.readText(path), path);
  const given = values.all("domain");
  const isSessions = values.has("sessions");
  if (isSessions && given.length > 1) throw new UsageError("--sessions takes one --domain");
  const rulesFor = (domain: string) => own ?? shippedOr(domain);
  if (own === undefined) given.forEach(shippedOr);
  const domains: readonly (string | undefined)[] = given.length > 0
    ? given
    : isSessions
    ? [undefined]
    : own === undefined
    ? GUARDED_DOMAINS
    : [values.has("tau2") ? own.domain : undefined];
  return domains.map((domain) => {
    const request = requestOf(values, { domain, needsManifest: false });
    return { request, rulesFor, source: path ?? "shipped" };
  });
}

function shippedOr(domain: string): RuleSet {
  const rules = shippedRules(domain);
  if (rules !== undefined) return rules;
  const named = domain === ""
    ? "The sessions name no domain"
    : `There are no rules for domain "${domain}"`;
  throw new UsageError(
    `${named}: --domain takes ${GUARDED_DOMAINS.join(" or ")}; for others give --guard-rules FILE`,
  );
}
