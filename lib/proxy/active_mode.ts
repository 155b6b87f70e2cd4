/**
 * Makes the sessions of a proxy that acts: what they share is read once, what is
 * their own is made for each.
 *
 * @module
 */

import { ActiveSession } from "../intercept/active_session.ts";
import type { FlowSetting } from "../intercept/flow_setting.ts";
import type { ActivePorts } from "../intercept/parts.ts";
import { type FlowTally, summaryLine } from "../intercept/flow_tally.ts";
import type { ActiveOptions } from "../proxy_options/active_flags.ts";
import type { ProxyOptions } from "../proxy_options/proxy_flags.ts";
import { FlowDecider } from "../flow/deciding/decider.ts";
import { lenientParser } from "../flow/state/lenient.ts";
import { shown } from "../flow/state/output.ts";
import { readFlow } from "../flow/file/read_flow.ts";
import type { Runtime } from "../ports/runtime.ts";
import { expandSession } from "../log/session_name.ts";
import type { Oracle } from "../oracle/oracle.ts";
import type { ActiveJob } from "./active_job.ts";
import { type OpenWrites, openWrites } from "./active_writes.ts";
import { type AppendingFile, AppendingFiles } from "../disk/appending_file.ts";
import type { LogTap } from "../relay/log_tap.ts";
import { openSessionOracle } from "../model_client/open_oracle.ts";
import type { OracleJob } from "../ports/oracle_door.ts";

/** How long the oracle may take for one decision of a flow. */
const FLOW_MS = 3_000;

/** A session that begins. */
export interface NewSession {
  /** Its id. */
  readonly id: string;
  /** The host session. */
  readonly hostSession: string | undefined;
  /** Its log, and where that is; undefined when nothing is recorded. */
  readonly log: { readonly tap: LogTap; readonly path: string } | undefined;
  /** Whether it is one request, and no session: what it did is told in sum. */
  readonly isOnce?: boolean;
  /** Whether the server's lines are recorded before they come here. */
  readonly isServerRecorded?: boolean;
  /** The number of the next request of ours, above the last; by default the session counts. */
  readonly nextNumber?: (last: number) => number;
  readonly toServer: (line: Uint8Array) => void;
  /** The way of what the proxy sends on its own; by default that of all lines. */
  readonly toServerOwn?: (line: Uint8Array) => void;
  readonly toHost: (line: Uint8Array) => void;
}

/** A session that is acted on. */
export interface LiveSession {
  readonly active: ActiveSession;
  /** Says what was done, and closes what was opened for it. */
  end(): Promise<void>;
}

/** Makes sessions. */
export class ActiveMode {
  readonly #options: ActiveOptions;
  readonly #runtime: Runtime;
  readonly #flow: FlowSetting | undefined;
  readonly #writes: OpenWrites;
  readonly #logs: AppendingFiles;
  /** Lookup tools that were said to be withheld, servers that were said to be foreign: once each. */
  readonly #said = new Set<string>();
  readonly #onceTally: FlowTally = { lookups: 0, failed: 0, heldMs: 0, expected: 0 };

  private constructor(
    options: ActiveOptions,
    runtime: Runtime,
    shared: {
      readonly flow: FlowSetting | undefined;
      readonly writes: OpenWrites;
      readonly logs: AppendingFiles;
    },
  ) {
    this.#options = options;
    this.#runtime = runtime;
    this.#flow = shared.flow;
    this.#writes = shared.writes;
    this.#logs = shared.logs;
  }

  /** Opens what all sessions share. */
  static async open(options: ProxyOptions, job: ActiveJob, runtime: Runtime): Promise<ActiveMode> {
    const { active, record } = options;
    const serverName = record?.serverName ?? record?.domain;
    const flow = await flowSetting(active, job, { runtime, serverName });
    const logs = new AppendingFiles(runtime);
    const writes = await openWrites(active.writes, { job, logs, runtime });
    return new ActiveMode(active, runtime, { flow, writes, logs });
  }

  /** Begins a session. */
  begin(session: NewSession): LiveSession {
    const { tap, path } = session.log ?? {};
    const flowLog = this.#flowLog(session, path);
    const say = (line: string) => {
      if (this.#said.has(line)) return;
      this.#said.add(line);
      this.#runtime.say(line);
    };
    const ports: ActivePorts = {
      toServer: session.toServer,
      toHost: session.toHost,
      ...(session.nextNumber === undefined ? {} : { nextNumber: session.nextNumber }),
      ...(session.toServerOwn === undefined ? {} : { toServerOwn: session.toServerOwn }),
      log: tap && {
        client: (line, isJson) => tap.clientLine(line, isJson),
        server: session.isServerRecorded
          ? () => {}
          : (line, isJson) => tap.serverLine(line, isJson),
        proxy: (line) => tap.proxy(line),
        context: (line) => tap.context(line),
      },
      flowLog: (line) => flowLog?.line(line),
      monotonicMs: this.#runtime.monotonicMs,
      later,
      say,
    };
    const writes = this.#writes(session, say);
    const active = new ActiveSession(ports, {
      session: session.id,
      ...writes.parts,
      ...(this.#flow === undefined ? {} : { flow: this.#flow }),
    });
    return {
      active,
      end: async () => {
        this.#tell(active.tally, session.isOnce ?? false);
        await Promise.all([flowLog?.close(), writes.end()]);
      },
    };
  }

  /** Tells what the sessions did that are a request each, once the proxy ends. */
  end(): void {
    this.#tell(this.#onceTally, false);
  }

  #tell(tally: FlowTally | undefined, isOnce: boolean): void {
    if (tally === undefined) return;
    if (isOnce) {
      const all = this.#onceTally;
      for (const key of ["lookups", "failed", "heldMs", "expected"] as const) {
        all[key] += tally[key];
      }
      return;
    }
    const line = summaryLine(tally);
    if (line !== undefined) this.#runtime.say(line);
  }

  /** The file of a session's decisions; sessions may share one. */
  #flowLog(session: NewSession, logPath: string | undefined): AppendingFile | undefined {
    const { flow } = this.#options;
    const path = (flow?.log && expandSession(flow.log, session.hostSession ?? session.id)) ??
      (flow && logPath?.replace(/\.jsonl$/, ".flow.jsonl"));
    return path === undefined ? undefined : this.#logs.open(path, "flow log");
  }
}

async function flowSetting(
  { flow: options }: ActiveOptions,
  { flow: read, oracle }: ActiveJob,
  { runtime, serverName }: { readonly runtime: Runtime; readonly serverName: string | undefined },
): Promise<FlowSetting | undefined> {
  if (options === undefined || read === undefined) return undefined;
  const flow = readFlow(read.text, options.path);
  const parse = await lenientParser();
  const { threshold, perCall, perSession, surprise } = options;
  const shadow = options.isShadow ? ", in shadow" : "";
  runtime.say(`flow ${options.path}: decides by ${read.decider}${shadow}`);
  return {
    flow,
    decider: (answers) => new FlowDecider(flow, read.decider, answers),
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
    oracle: oracle && await flowOracle(oracle, runtime),
    questions: options.questions,
    taskId: options.taskId,
    serverName,
  };
}

async function flowOracle(job: OracleJob, runtime: Runtime): Promise<Oracle | undefined> {
  const { known, live } = await openSessionOracle(job, runtime, FLOW_MS);
  return live ?? (job.kind === "jev" ? undefined : known);
}

function later(ms: number, ring: () => void): () => void {
  const timer = setTimeout(ring, ms);
  return () => clearTimeout(timer);
}
