/**
 * What acting on sessions needs from files and the environment, read once while
 * that is still allowed, in a form that can be handed to a worker.
 *
 * @module
 */

import type { ProxyOptions } from "../proxy_options/proxy_flags.ts";
import type { Decider } from "../flow/deciding/option.ts";
import type { Runtime } from "../ports/runtime.ts";
import { reasonOf } from "../text/reason.ts";
import { expandSession } from "../log/session_name.ts";
import { DEFAULT_MODEL, MOCK_MODEL } from "../oracle/question.ts";
import type { GuardJob } from "./guard_rules.ts";
import type { OracleJob } from "../ports/oracle_door.ts";

/** What was read. */
export interface ActiveJob {
  readonly flow: { readonly text: string; readonly decider: Decider } | undefined;
  /** Rules before the agent's calls. */
  readonly guards: GuardJob | undefined;
  /** Whether rules ask questions, and the oracle answers them. */
  readonly rulesAsk: boolean;
  /** Who answers; undefined where nothing asks. */
  readonly oracle: OracleJob | undefined;
}

/**
 * Reads what the options name.
 *
 * @param options What to do.
 * @param runtime Whose environment.
 * @returns The job.
 * @throws {Error} When a file cannot be read or does not say what it should; names it.
 */
export async function readActive(options: ProxyOptions, runtime: Runtime): Promise<ActiveJob> {
  const flow = await readFlowJob(options);
  const { guards, rulesAsk } = await readGuards(options);
  await checkContext(options);
  const { oracle, writes } = options.active;
  const idle = [
    ...(flow?.decider === "arbiter" ? ["the flow hands back"] : []),
    ...(writes.judge === undefined ? [] : ["the judge refuses nothing"]),
    ...(rulesAsk ? ["rules that ask are unknown"] : []),
  ];
  const job = { flow, guards, rulesAsk };
  if (oracle === undefined || idle.length === 0) return { ...job, oracle: undefined };
  const { JEV_BASE_URL } = await import("../model_client/jev_client.ts");
  let key: string | undefined;
  if (oracle.kind === "jev") {
    try {
      const { oracleKey } = await import("../model_client/oracle_key.ts");
      key = await oracleKey(runtime);
    } catch (error) {
      runtime.say(`${reasonOf(error)}; until then ${idle.join(" and ")}`);
    }
  }
  const baseUrl = runtime.env("TYPESAFE_BASE_URL")?.trim() || JEV_BASE_URL;
  const model = oracle.kind === "mock"
    ? MOCK_MODEL
    : runtime.env("TYPESAFE_DEFAULT_MODEL")?.trim() || DEFAULT_MODEL;
  return { ...job, oracle: { ...oracle, key, baseUrl, model } };
}

async function readGuards(
  { active: { flow, writes } }: ProxyOptions,
): Promise<Pick<ActiveJob, "guards" | "rulesAsk">> {
  const { guards, judge, asking } = writes;
  if (guards === undefined) return { guards: undefined, rulesAsk: false };
  const { path, domain = "" } = guards;
  let text: string | undefined;
  try {
    if (path !== undefined) text = Deno.readTextFileSync(path);
  } catch (error) {
    throw new Error(`--guard-rules "${path}": ${reasonOf(error)}`, { cause: error });
  }
  const { rulesOf } = await import("./guard_rules.ts");
  const job: GuardJob = { name: path ?? domain, text };
  const { rules } = await rulesOf(job);
  const hasQuestions = rules.some(({ cases }) => cases.some(({ ask }) => ask !== undefined));
  if (asking !== undefined && judge === undefined && flow === undefined && !hasQuestions) {
    throw new Error(`--oracle: no rule of "${job.name}" asks a question`);
  }
  if (judge !== undefined && !rules.some(({ id }) => id.endsWith(".confirmed"))) {
    throw new Error(
      `--confirm-judge: no rule of "${job.name}" ends in ".confirmed", which says what is confirmed`,
    );
  }
  return { guards: job, rulesAsk: asking !== undefined && hasQuestions };
}

async function checkContext({ active: { writes } }: ProxyOptions): Promise<void> {
  const { context } = writes;
  if (context === undefined) return;
  const { contextFault } = await import("../disk/context_file.ts");
  const fault = contextFault(expandSession(context, "session"));
  if (fault !== undefined) throw new Error(`--context "${context}": ${fault}`);
}

async function readFlowJob({ active }: ProxyOptions): Promise<ActiveJob["flow"]> {
  const { flow: options } = active;
  if (options === undefined) return undefined;
  const { readFlow } = await import("../flow/file/read_flow.ts");
  let text: string;
  try {
    text = Deno.readTextFileSync(options.path);
  } catch (error) {
    throw new Error(`--flow "${options.path}": ${reasonOf(error)}`, { cause: error });
  }
  const flow = readFlow(text, options.path);
  const decider = options.decider ??
    (flow.arbiter !== undefined ? "arbiter" : flow.reach !== undefined ? "reach" : "habit");
  if (decider === "arbiter" && flow.arbiter === undefined) {
    throw new Error(`--flow-decider arbiter: the flow "${options.path}" has no arbiter`);
  }
  if (decider === "reach" && flow.reach === undefined) {
    throw new Error(`--flow-decider reach: the flow "${options.path}" has no reach`);
  }
  return { text, decider };
}
