/**
 * `hoist guards`: rules against recorded sessions, before anyone enforces them.
 *
 * @module
 */

import type { RuleSet } from "../guard/compile_rules.ts";
import { guardJson, guardMarkdown, type GuardSection } from "../guard/guard_report.ts";
import { GuardTally } from "../guard/guard_tally.ts";
import { openGuardRules } from "../guard/open_rules.ts";
import { GUARDED_DOMAINS, shippedRules } from "../guard/shipped_rules.ts";
import { checkCourse } from "../guard/walk_course.ts";
import type { Host } from "../host/host.ts";
import { runCommand, UsageError } from "./command.ts";
import type { Flag, FlagTable, FlagValues } from "./flags.ts";
import { progressOn } from "./progress.ts";
import { type FileStore, openRecordings } from "./recordings.ts";
import { RECORDINGS_FLAGS, type RecordingsRequest, recordingsRequest } from "./recordings_flags.ts";

/** More than one may be named here, and none need be. */
const DOMAIN_FLAG: Flag = {
  name: "domain",
  value: "NAME",
  repeat: true,
  help:
    "Whose shipped rules: airline or retail. With --results and --tau2 other sessions are skipped. " +
    "Default: both; with --sessions what the logs say.",
};

/** The table of `hoist guards`. */
export const GUARDS_FLAGS: FlagTable = {
  program: "hoist guards",
  summary:
    "Tests policy rules against recorded sessions: what they would refuse, and what they would miss.",
  examples: ["hoist guards --sessions ~/.hoist/logs/retail --domain retail"],
  usage: [
    "[OPTIONS] --sessions DIR [--rewards FILE]",
    "[OPTIONS] --tau2 DIR",
    "[OPTIONS] --results FILE...",
  ],
  flags: [
    {
      name: "guard-rules",
      value: "FILE",
      help: "A rule file, JSON or YAML, in place of the shipped rules. See docs/guards.md.",
    },
    ...RECORDINGS_FLAGS.flatMap((flag) => {
      if (flag.name === "manifest") return []; // Rules name their tools themselves.
      return [flag.name === "domain" ? DOMAIN_FLAG : flag];
    }),
    { name: "out", value: "FILE", help: "Write the report there instead of on stdout." },
    { name: "json", value: "FILE", help: "Also write the numbers behind it." },
  ],
  notes: ["Exit status: 0 done; 1 something could not be read or written; 2 wrong usage."],
};

/**
 * Runs `hoist guards`.
 *
 * @param args The arguments after the subcommand.
 * @param host Where to print.
 * @param files Where sessions and rules are.
 * @returns The exit status.
 */
export function guardsCommand(
  args: readonly string[],
  host: Host,
  files: FileStore,
): Promise<number> {
  return runCommand(GUARDS_FLAGS, args, host, (values) => guards(values, host, files));
}

/** Rules, and the sessions to check them on. */
interface Task {
  readonly request: RecordingsRequest;
  /** By the domain that the sessions turn out to be of. */
  rulesFor(domain: string): RuleSet;
  readonly source: string;
}

async function guards(values: FlagValues, host: Host, files: FileStore): Promise<number> {
  const sections: GuardSection[] = [];
  const progress = progressOn(host);
  for (const task of await tasks(values, files)) {
    const recordings = await openRecordings(task.request, files);
    for (const note of recordings.notes) host.say(note);
    const { domain } = recordings.manifest;
    const rules = task.rulesFor(domain);
    const tally = new GuardTally(rules);
    for await (const course of recordings.source.each()) {
      tally.add(checkCourse(rules, course));
      progress.show(`checking ${tally.sessions.successful + tally.sessions.failed}`);
    }
    progress.clear();
    const isEmpty = tally.sessions.successful + tally.sessions.failed === 0;
    if (!isEmpty) {
      sections.push({ domain: domain || (rules.domain ?? ""), rules: task.source, tally });
    } else if (values.has("domain")) {
      throw new Error(`Cannot check: no session of domain "${domain}" is left`);
    }
  }
  if (sections.length === 0) throw new Error("Cannot check: no session is left to check");
  const report = guardMarkdown(sections);
  const [out, json] = [values.get("out"), values.get("json")];
  if (json !== undefined) {
    await files.replace(json, JSON.stringify(guardJson(sections), null, 2) + "\n");
  }
  if (out === undefined) host.print(report);
  else await files.replace(out, report + "\n");
  return 0;
}

async function tasks(values: FlagValues, files: FileStore): Promise<Task[]> {
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
    const request = recordingsRequest(values, { domain, needsManifest: false });
    if (typeof request === "string") throw new UsageError(request);
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
