/**
 * Makes the sessions of a proxy that acts: what they share is read once, what is
 * their own is made for each.
 *
 * @module
 */

import { ActiveSession } from "../active/active_session.ts";
import type { FlowSetting } from "../active/flow_setting.ts";
import type { ActivePorts } from "../active/parts.ts";
import type { ActiveOptions } from "../cli/active_flags.ts";
import type { ProxyOptions } from "../cli/proxy_flags.ts";
import { FlowDecider } from "../flow/decider.ts";
import { lenientParser } from "../flow/lenient.ts";
import { shown } from "../flow/output.ts";
import { readFlow } from "../flow/read_flow.ts";
import type { Host } from "../host/host.ts";
import type { Oracle } from "../oracle/oracle.ts";
import type { ActiveJob, OracleJob } from "./active_job.ts";
import { type AppendingFile, appendingFile } from "./appending_file.ts";
import type { LogTap } from "./log_tap.ts";

/** A session that begins. */
export interface NewSession {
  /** Its id. */
  readonly id: string;
  /** The host session. */
  readonly hostSession: string | undefined;
  /** Its log, and where that is; undefined when nothing is recorded. */
  readonly log: { readonly tap: LogTap; readonly path: string } | undefined;
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
  readonly #host: Host;
  readonly #flow: FlowSetting | undefined;
  /** Flow logs that are open, each with how many sessions write to it. */
  readonly #logs = new Map<string, { readonly file: AppendingFile; sessions: number }>();
  /** Lookup tools that were said to be withheld, servers that were said to be foreign: once each. */
  readonly #said = new Set<string>();

  private constructor(options: ActiveOptions, host: Host, flow: FlowSetting | undefined) {
    this.#options = options;
    this.#host = host;
    this.#flow = flow;
  }

  /** Opens what all sessions share. */
  static async open(options: ProxyOptions, job: ActiveJob, host: Host): Promise<ActiveMode> {
    const { active, record } = options;
    const serverName = record?.serverName ?? record?.domain;
    const flow = await flowSetting(active, job, { host, serverName });
    return new ActiveMode(active, host, flow);
  }

  /** Begins a session. */
  begin(session: NewSession): LiveSession {
    const { tap, path } = session.log ?? {};
    const flowLog = this.#flowLog(session, path);
    const say = (line: string) => {
      if (this.#said.has(line)) return;
      this.#said.add(line);
      this.#host.say(line);
    };
    const ports: ActivePorts = {
      toServer: session.toServer,
      toHost: session.toHost,
      ...(session.nextNumber === undefined ? {} : { nextNumber: session.nextNumber }),
      ...(session.toServerOwn === undefined ? {} : { toServerOwn: session.toServerOwn }),
      log: tap && {
        client: (line) => tap.clientLine(line),
        server: session.isServerRecorded ? () => {} : (line) => tap.serverLine(line),
        proxy: (line) => tap.proxy(line),
        context: (line) => tap.context(line),
      },
      flowLog: (line) => flowLog?.line(line),
      monotonicMs: this.#host.monotonicMs,
      later,
      say,
    };
    const active = new ActiveSession(ports, {
      session: session.id,
      ...(this.#flow === undefined ? {} : { flow: this.#flow }),
    });
    return {
      active,
      end: async () => {
        const summary = active.summary();
        if (summary !== undefined) this.#host.say(summary);
        await flowLog?.close();
      },
    };
  }

  /** The file of a session's decisions; sessions may share one. */
  #flowLog(session: NewSession, logPath: string | undefined): AppendingFile | undefined {
    const { flow } = this.#options;
    const path = flow?.log?.replaceAll("{session}", session.hostSession ?? session.id) ??
      (flow && logPath?.replace(/\.jsonl$/, ".flow.jsonl"));
    if (path === undefined) return undefined;
    const open = this.#logs.get(path) ??
      { file: appendingFile(path, "flow log", this.#host), sessions: 0 };
    this.#logs.set(path, open);
    open.sessions++;
    return {
      line: (text) => open.file.line(text),
      close: async () => {
        if (--open.sessions > 0) return;
        this.#logs.delete(path);
        await open.file.close();
      },
    };
  }
}

async function flowSetting(
  { flow: options }: ActiveOptions,
  { flow: read, oracle }: ActiveJob,
  { host, serverName }: { readonly host: Host; readonly serverName: string | undefined },
): Promise<FlowSetting | undefined> {
  if (options === undefined || read === undefined) return undefined;
  const flow = readFlow(read.text, options.path);
  const parse = await lenientParser();
  const { threshold, perCall, perSession } = options;
  const shadow = options.isShadow ? ", in shadow" : "";
  host.say(`flow ${options.path}: decides by ${read.decider}${shadow}`);
  return {
    flow,
    decider: (answers) => new FlowDecider(flow, read.decider, answers),
    limits: {
      ...(threshold === undefined ? {} : { threshold }),
      ...(perCall === undefined ? {} : { perCall }),
      ...(perSession === undefined ? {} : { perSession }),
    },
    read: (text) => {
      const value = parse(text);
      return { value, shown: shown(value) };
    },
    isShadow: options.isShadow,
    explore: options.explore,
    tools: options.tools && new Set(options.tools),
    lookupMs: options.lookupMs,
    oracle: oracle && await openOracle(oracle, host),
    questions: options.questions,
    taskId: options.taskId,
    serverName,
  };
}

async function openOracle(job: OracleJob, host: Host): Promise<Oracle | undefined> {
  if (job.kind === "mock") return (await import("../oracle/mock.ts")).mockOracle();
  const { cachedOracle, replayOracle } = await import("../oracle/replay.ts");
  const { answerCache } = await import("../disk/answer_cache.ts");
  const store = answerCache(job.cacheDir);
  if (job.kind === "replay") return replayOracle(store);
  if (job.key === undefined) return undefined;
  const { jevOracle } = await import("../host/jev_client.ts");
  const live = await jevOracle({
    key: job.key,
    baseUrl: job.baseUrl,
    totalMs: 3_000,
    monotonicMs: host.monotonicMs,
    say: host.say,
  });
  return cachedOracle(store, live, host);
}

function later(ms: number, ring: () => void): () => void {
  const timer = setTimeout(ring, ms);
  return () => clearTimeout(timer);
}
