/**
 * What a proxy does about writes: rules, judge, the commit tool and the conversation,
 * shared by its sessions where they can be, and made for each where not.
 *
 * @module
 */

import { commitTool } from "../intercept/commit_tool.ts";
import type { GuardGate } from "../intercept/guard_gate.ts";
import type { AddedTool, CallGate, ContextFeed } from "../intercept/parts.ts";
import type { WriteOptions } from "../proxy_options/write_flags.ts";
import type { RuleSet } from "../guard/rules/compile_rules.ts";
import type { Asker, AskerOptions } from "../guard/judge/asker.ts";
import type { ConfirmJudge } from "../guard/judge/judge.ts";
import type { Runtime } from "../ports/runtime.ts";
import { expandSession } from "../log/session_name.ts";
import type { ActiveJob } from "./active_job.ts";
import type { NewSession } from "./active_mode.ts";
import type { AppendingFiles } from "../disk/appending_file.ts";
import { openSessionOracle } from "../model_client/open_oracle.ts";
import type { OracleJob } from "../ports/oracle_door.ts";

/** What acts on the writes of one session. */
export interface SessionWrites {
  readonly parts: {
    readonly gate?: CallGate;
    readonly added?: AddedTool;
    readonly context?: ContextFeed;
  };
  /** Closes what was opened for it. */
  end(): Promise<void>;
}

/** Makes the part of each session that is about writes. */
export type OpenWrites = (session: NewSession, say: (line: string) => void) => SessionWrites;

/** What opening needs. */
export interface WritesSetup {
  /** What was read before. */
  readonly job: ActiveJob;
  /** Where confirm logs are opened. */
  readonly logs: AppendingFiles;
  readonly runtime: Runtime;
}

/** How long an answer about one write may take. */
const JUDGE_MS = 8_000;

const encoder = new TextEncoder();

/**
 * Opens what the sessions share.
 *
 * @param options What to do.
 * @param setup What was read for it, and the machine.
 * @returns Makes what is a session's own.
 */
export async function openWrites(
  options: WriteOptions,
  setup: WritesSetup,
): Promise<OpenWrites> {
  const gates = await openGates(options, setup);
  const feeds = options.context === undefined ? undefined : await openFeeds(options.context);
  return (session, say) => {
    const { gate, end } = gates?.(session, say) ?? {};
    const context = feeds?.(session, say);
    return {
      parts: {
        ...(gate === undefined ? {} : { gate }),
        ...(options.commit ? { added: commitTool } : {}),
        ...(context === undefined ? {} : { context }),
      },
      end: async () => await end?.(),
    };
  };
}

type OpenGate = (
  session: NewSession,
  say: (line: string) => void,
) => { readonly gate: GuardGate; end(): Promise<void> };

async function openGates(
  { judge, asking }: WriteOptions,
  { job, logs, runtime }: WritesSetup,
): Promise<OpenGate | undefined> {
  if (job.guards === undefined) return undefined;
  const { rulesOf } = await import("./guard_rules.ts");
  const { GuardGate } = await import("../intercept/guard_gate.ts");
  const rules = await rulesOf(job.guards);
  sayRules(rules, job.guards.name, runtime);
  warmUpSoon(rules, await import("../guard/warm.ts"));
  const { rulesAsk, oracle } = job;
  const makeAsker = asking && oracle && (rulesAsk || judge !== undefined)
    ? await openAsker(asking.questions, oracle, runtime)
    : undefined;
  const makeJudge = judge && oracle && await openJudge(judge, oracle.model, runtime);
  if (rulesAsk && oracle !== undefined) runtime.say(`rules that ask: asked of ${oracle.model}`);
  return (session, say) => {
    const asker = makeAsker?.();
    const path = asker && asking && confirmLogOf(session, asking.log);
    const log = path === undefined ? undefined : logs.open(path, "confirm log");
    const ours = asker && makeJudge?.(asker);
    const gate = new GuardGate(rules, {
      ...(ours === undefined ? {} : { judge: ours }),
      ...(asker === undefined || !rulesAsk ? {} : { asker }),
      confirmLog: (line) => log?.line(line),
      monotonicMs: runtime.monotonicMs,
      say,
    });
    return {
      gate,
      async end() {
        await gate.end();
        await log?.close();
      },
    };
  };
}

async function openAsker(
  maxQuestions: number,
  oracle: OracleJob,
  runtime: Runtime,
): Promise<() => Asker> {
  const { Asker } = await import("../guard/judge/asker.ts");
  const answerers = await openSessionOracle(oracle, runtime, JUDGE_MS);
  const options: AskerOptions = { ...answerers, model: oracle.model, maxQuestions };
  return () => new Asker(options);
}

async function openJudge(
  { rule, isEnforced }: NonNullable<WriteOptions["judge"]>,
  model: string,
  { monotonicMs, say }: Runtime,
): Promise<(asker: Asker) => ConfirmJudge> {
  const { ConfirmJudge } = await import("../guard/judge/judge.ts");
  say(`confirmation judge: ${isEnforced ? "enforced" : "logged"}, asks ${model}`);
  return (asker) => new ConfirmJudge({ ...rule, isEnforced, asker, monotonicMs });
}

function confirmLogOf(session: NewSession, given: string | undefined): string | undefined {
  if (given !== undefined) return expandSession(given, session.hostSession ?? session.id);
  return session.log?.path.replace(/\.jsonl$/, ".confirm.jsonl");
}

async function openFeeds(
  path: string,
): Promise<(session: NewSession, say: (line: string) => void) => ContextFeed> {
  const { ContextFile } = await import("../disk/context_file.ts");
  const { contextLine } = await import("../intercept/context/conversation.ts");
  return (session, say) => {
    const file = new ContextFile(expandSession(path, session.hostSession ?? session.id), { say });
    return {
      poll: () =>
        file.poll().map((message) => ({
          role: message.role,
          text: message.content,
          line: encoder.encode(contextLine(message)),
        })),
    };
  };
}

function sayRules({ rules }: RuleSet, name: string, runtime: Runtime): void {
  const enforced = rules.filter((rule) => rule.isEnforced).length;
  runtime.say(`guards ${name}: ${rules.length} rules, ${enforced} enforced`);
}

/** Between other work, while the server starts: the first check of a process is slow. */
function warmUpSoon(rules: RuleSet, { warmUp }: typeof import("../guard/warm.ts")): void {
  const steps = warmUp(rules);
  const step = () => {
    if (steps.next().done !== true) setTimeout(step, 0);
  };
  setTimeout(step, 0);
}
