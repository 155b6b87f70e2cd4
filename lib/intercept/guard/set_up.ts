/**
 * Sets up the guards: compiles the rules once, and makes the judge, the asker and the confirm
 * log of each session.
 *
 * @module
 */

import type { Asker, AskerOptions } from "../../guard/judge/asker.ts";
import type { ConfirmJudge } from "../../guard/judge/judge.ts";
import type { RuleSet } from "../../guard/rules/compile_rules.ts";
import { warmUp } from "../../guard/warm.ts";
import { expandSession } from "../../log/session_name.ts";
import { reasonOf } from "../../text/reason.ts";
import type { OpenInterceptor, SessionFacts } from "../kinds/chains.ts";
import type { OracleSetUp, ReadPorts, SetUpPorts } from "../kinds/set_up_ports.ts";
import type { InterceptorSetUp, ReadJob } from "../kinds/kind.ts";
import { GuardInterceptor } from "./guard.ts";
import type { GuardJob, GuardOptions, JudgeFlags } from "./options.ts";
import { rulesOf, ruleSource } from "../../guard/rules/rules_source.ts";

/** How long an answer about one write may take. */
const JUDGE_MS = 8_000;

/** Their set-up. */
export const guardSetUp: InterceptorSetUp<GuardOptions, GuardJob> = {
  read: readJob,
  open: openGuards,
};

async function readJob(
  { rules: { path, domain = "" }, judge, asking }: GuardOptions,
  { readText, names }: ReadPorts,
): Promise<ReadJob<GuardJob>> {
  let text: string | undefined;
  try {
    if (path !== undefined) text = readText(path);
  } catch (error) {
    throw new Error(`--guard-rules "${path}": ${reasonOf(error)}`, { cause: error });
  }
  const source = path === undefined || text === undefined
    ? { name: domain, text }
    : await ruleSource(text, path);
  const { rules } = await rulesOf(source);
  const hasQuestions = rules.some(({ cases }) => cases.some(({ ask }) => ask !== undefined));
  if (asking !== undefined && judge === undefined && !names.has("flow") && !hasQuestions) {
    throw new Error(`--oracle: no rule of "${source.name}" asks a question`);
  }
  const held = rules.find((rule) => rule.isEnforced && rule.cases.some((part) => part.approve));
  if (held !== undefined && !names.has("approve")) {
    throw new Error(
      `--guards: rule "${held.id}" of "${source.name}" asks a person; give the file to --approve as well`,
    );
  }
  if (judge !== undefined && !rules.some(({ id }) => id.endsWith(".confirmed"))) {
    throw new Error(
      `--confirm-judge: no rule of "${source.name}" ends in ".confirmed", which says what is confirmed`,
    );
  }
  const asks = asking !== undefined && hasQuestions;
  return {
    job: { source, asks },
    withoutOracle: [
      ...(judge === undefined ? [] : ["the judge refuses nothing"]),
      ...(asks ? ["rules that ask are unknown"] : []),
    ],
  };
}

async function openGuards(
  { judge, asking }: GuardOptions,
  { source, asks }: GuardJob,
  ports: SetUpPorts,
): Promise<OpenInterceptor> {
  const { say, monotonicMs, oracle } = ports;
  const rules = await rulesOf(source);
  const enforced = rules.rules.filter((rule) => rule.isEnforced).length;
  say(`guards ${source.name}: ${rules.rules.length} rules, ${enforced} enforced`);
  warmUpSoon(rules, ports);
  const makeAsker = asking && oracle && (asks || judge !== undefined)
    ? await openAsker(asking.questions, oracle)
    : undefined;
  const makeJudge = judge && oracle && await openJudge(judge, oracle.model, ports);
  if (asks && oracle !== undefined) say(`rules that ask: asked of ${oracle.model}`);
  return {
    begin(session) {
      const asker = makeAsker?.();
      const path = asker && asking && confirmLogOf(session, asking.log);
      const log = path === undefined ? undefined : ports.appendTo(path, "confirm log");
      const ours = asker && makeJudge?.(asker);
      const guards = new GuardInterceptor(rules, {
        ...(ours === undefined ? {} : { judge: ours }),
        ...(asker === undefined || !asks ? {} : { asker }),
        confirmLog: (line) => log?.line(line),
        monotonicMs,
        say: session.say,
      });
      return {
        make: () => guards,
        async end() {
          await guards.end();
          await log?.close();
        },
      };
    },
  };
}

async function openAsker(maxQuestions: number, oracle: OracleSetUp): Promise<() => Asker> {
  const { Asker } = await import("../../guard/judge/asker.ts");
  const answers = await oracle.open(JUDGE_MS);
  const options: AskerOptions = { ...answers, model: oracle.model, maxQuestions };
  return () => new Asker(options);
}

async function openJudge(
  { rule, isEnforced }: JudgeFlags,
  model: string,
  { monotonicMs, say }: SetUpPorts,
): Promise<(asker: Asker) => ConfirmJudge> {
  const { ConfirmJudge } = await import("../../guard/judge/judge.ts");
  say(`confirmation judge: ${isEnforced ? "enforced" : "logged"}, asks ${model}`);
  return (asker) => new ConfirmJudge({ ...rule, isEnforced, asker, monotonicMs });
}

function confirmLogOf(session: SessionFacts, given: string | undefined): string | undefined {
  if (given !== undefined) return expandSession(given, session.hostSession ?? session.id);
  return session.logPath?.replace(/\.jsonl$/, ".confirm.jsonl");
}

/** Between other work, while the server starts: the first check of a process is slow. */
function warmUpSoon(rules: RuleSet, { later }: SetUpPorts): void {
  const steps = warmUp(rules);
  const step = () => {
    if (steps.next().done !== true) later(0, step);
  };
  later(0, step);
}
