/**
 * Sets up the flow interceptor: parses the flow once, and opens a flow log for each session.
 *
 * @module
 */

import { FlowDecider } from "../../flow/deciding/decider.ts";
import { readFlow } from "../../flow/file/read_flow.ts";
import { lenientParser } from "../../flow/state/lenient.ts";
import { shown } from "../../flow/state/output.ts";
import { type ArmEntry, armLine } from "../../flow/walking/flow_log.ts";
import { expandSession } from "../../log/session_name.ts";
import type { Oracle } from "../../oracle/oracle.ts";
import { reasonOf } from "../../text/reason.ts";
import type { OpenInterceptor, SessionFacts } from "../kinds/chains.ts";
import type { InterceptorSetUp, ReadJob } from "../kinds/kind.ts";
import { flowInterceptor } from "./flow.ts";
import { armOf } from "./holdout.ts";
import type { FlowJob, FlowOptions } from "./options.ts";
import { type FlowSetting, ORACLE_MS } from "./setting.ts";
import { addTally, newTally, summaryLine } from "./tally.ts";
import type { ReadPorts, SetUpPorts } from "../kinds/set_up_ports.ts";

/** Its set-up. */
export const flowSetUp: InterceptorSetUp<FlowOptions, FlowJob> = { read: readJob, open: openFlow };

function readJob(options: FlowOptions, { readText }: ReadPorts): Promise<ReadJob<FlowJob>> {
  let text: string;
  try {
    text = readText(options.path);
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
  return Promise.resolve({
    job: { text, decider },
    withoutOracle: decider === "arbiter" ? ["the flow hands back"] : [],
  });
}

async function openFlow(
  options: FlowOptions,
  job: FlowJob,
  ports: SetUpPorts,
): Promise<OpenInterceptor> {
  const setting = await settingOf(options, job, ports);
  const { say } = ports;
  const inSum = newTally();
  const tell = (line: string | undefined) => line !== undefined && say(line);
  return {
    begin(session) {
      const path = logPath(options, session);
      const log = path === undefined ? undefined : ports.appendTo(path, "flow log");
      const tally = newTally();
      const arm = drawnArm(options, session);
      if (arm !== undefined) log?.line(armLine(arm));
      const isHeldOut = arm?.arm === "holdout";
      // A model's answers take time, which would count against the sessions held out.
      const own = isHeldOut ? { ...setting, isShadow: true, oracle: undefined } : setting;
      return {
        make: flowInterceptor(own, {
          id: session.id,
          tally,
          log: (line) => log?.line(line),
        }),
        async end() {
          if (session.isOnce) addTally(inSum, tally);
          else {
            const measured = measuredBy(options, session);
            tell(
              isHeldOut ? `flow: held out, no lookups${measured}` : summaryLine(tally, measured),
            );
          }
          await log?.close();
        },
      };
    },
    end: () => tell(summaryLine(inSum)),
  };
}

/** The arm of a session; none where nothing is drawn, and for a request that stands alone. */
function drawnArm({ holdout }: FlowOptions, session: SessionFacts): ArmEntry | undefined {
  if (holdout === undefined || session.isOnce) return undefined;
  const arm = armOf(session.hostSession ?? session.id, holdout);
  return { arm, session: session.id, ...holdout };
}

/** How the savings of a session are measured, for its last line. */
function measuredBy({ holdout }: FlowOptions, { logPath }: SessionFacts): string {
  if (logPath === undefined) return "";
  const dir = logPath.slice(0, logPath.lastIndexOf("/"));
  return holdout === undefined
    ? "; --flow-holdout 0.2 and hoist savings measure it"
    : `; measured by: hoist savings ${dir}`;
}

/** The file of a session's decisions; sessions may share one. */
function logPath(options: FlowOptions, session: SessionFacts): string | undefined {
  return options.log === undefined
    ? session.logPath?.replace(/\.jsonl$/, ".flow.jsonl")
    : expandSession(options.log, session.hostSession ?? session.id);
}

async function settingOf(
  options: FlowOptions,
  { text, decider }: FlowJob,
  { say, oracle, serverName }: SetUpPorts,
): Promise<FlowSetting> {
  const flow = readFlow(text, options.path);
  const parse = await lenientParser();
  const { threshold, perCall, perSession, surprise } = options;
  const shadow = options.isShadow ? ", in shadow" : "";
  say(`flow ${options.path}: decides by ${decider}${shadow}`);
  const unknown =
    options.tools?.filter((tool) =>
      !flow.reads.some((read) => read === tool || read.endsWith(`::${tool}`))
    ) ?? [];
  if (unknown.length > 0) {
    say(`--flow-tools names what the flow does not look up: ${unknown.join(", ")}`);
  }
  return {
    flow,
    decider: (answers) => new FlowDecider(flow, decider, answers),
    limits: {
      ...(threshold === undefined ? {} : { threshold }),
      ...(perCall === undefined ? {} : { perCall }),
      ...(perSession === undefined ? {} : { perSession }),
      ...(surprise === undefined ? {} : { surprise }),
    },
    read: (text) => {
      const value = parse(text);
      return { value, shown: shown(value) };
    },
    isShadow: options.isShadow,
    explore: options.explore,
    tools: options.tools && new Set(options.tools),
    lookupMs: options.lookupMs,
    budget: options.budget,
    oracle: oracle && await answering(oracle),
    questions: options.questions,
    taskId: options.taskId,
    serverName,
  };
}

async function answering(
  { kind, open }: NonNullable<SetUpPorts["oracle"]>,
): Promise<Oracle | undefined> {
  const { known, live } = await open(ORACLE_MS);
  return live ?? (kind === "jev" ? undefined : known);
}
