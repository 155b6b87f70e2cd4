/**
 * Gives the interceptors what they need of files, environment and oracle: what is read once,
 * while that is still allowed, and what is opened where the sessions run.
 *
 * @module
 */

import type { ProxyOptions } from "../proxy_options/proxy_flags.ts";
import { AppendingFiles } from "../disk/appending_file.ts";
import { contextFault, ContextFile } from "../disk/context_file.ts";
import type { Chains } from "../intercept/kinds/chains.ts";
import { contextLine } from "../intercept/context/conversation.ts";
import { openChains, type ReadInterceptors, readInterceptors } from "../intercept/set_up.ts";
import { DEFAULT_MODEL, MOCK_MODEL } from "../oracle/question.ts";
import type { OracleJob } from "../ports/oracle_door.ts";
import { VERSION } from "../flags/version.ts";
import { takeFile } from "../runtime/take_file.ts";
import { redactArgs } from "../log/redact_args.ts";
import { redactUrl } from "../log/redact_url.ts";
import type { Runtime } from "../ports/runtime.ts";
import { reasonOf } from "../text/reason.ts";

/** What was read for the interceptors, in a form that can be handed to a worker. */
export interface InterceptorJob {
  readonly jobs: ReadInterceptors["jobs"];
  /** Who answers; undefined where nothing asks. */
  readonly oracle: OracleJob | undefined;
  /** Messages for the user, after the log's place. */
  readonly notes: readonly string[];
}

const encoder = new TextEncoder();

/**
 * Reads what the options name.
 *
 * @param options What to do.
 * @param runtime Whose environment.
 * @returns What was read.
 * @throws {Error} When a file cannot be used; names the flag.
 */
export async function readJobs(options: ProxyOptions, runtime: Runtime): Promise<InterceptorJob> {
  const { jobs, withoutOracle } = await readInterceptors(options.interceptors, {
    readText: (path) => Deno.readTextFileSync(path),
    // Whoever only asks what is needed takes nothing away.
    take: (path) => options.printPermissions ? "" : takeFile(path),
    contextFault,
  });
  const { oracle } = options;
  if (oracle === undefined || withoutOracle.length === 0) {
    return { jobs, oracle: undefined, notes: [] };
  }
  const { JEV_BASE_URL } = await import("../model_client/jev_client.ts");
  let key: string | undefined;
  const notes: string[] = [];
  if (oracle.kind === "jev") {
    try {
      const { oracleKey } = await import("../model_client/oracle_key.ts");
      key = await oracleKey(runtime);
    } catch (error) {
      notes.push(`${reasonOf(error)}; until then ${withoutOracle.join(" and ")}`);
    }
  }
  const baseUrl = runtime.env("TYPESAFE_BASE_URL")?.trim() || JEV_BASE_URL;
  const model = oracle.kind === "mock"
    ? MOCK_MODEL
    : runtime.env("TYPESAFE_DEFAULT_MODEL")?.trim() || DEFAULT_MODEL;
  return { jobs, oracle: { ...oracle, key, baseUrl, model }, notes };
}

/**
 * Makes what the sessions of the interceptors share.
 *
 * @param options What to do.
 * @param job What was read for it.
 * @param runtime The machine.
 * @returns Makes the chain of each session.
 */
export function openInterceptors(
  { interceptors, record, upstream, command }: ProxyOptions,
  { jobs, oracle, notes }: InterceptorJob,
  runtime: Runtime,
): Promise<Chains> {
  const { say, monotonicMs } = runtime;
  const name = record?.serverName ?? record?.domain;
  const place = upstream === undefined ? redactArgs(command).join(" ") : redactUrl(upstream.url);
  notes.forEach(say);
  const logs = new AppendingFiles(runtime);
  return openChains(interceptors, jobs, {
    say,
    monotonicMs,
    unixMs: () => runtime.unixMs(),
    randomHex: (bytes) => {
      const chance = crypto.getRandomValues(new Uint8Array(bytes));
      return [...chance].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    },
    later(ms, ring) {
      const timer = setTimeout(ring, ms);
      return () => clearTimeout(timer);
    },
    appendTo: (path, what) => logs.open(path, what),
    conversation(path, say) {
      const file = new ContextFile(path, { say });
      return {
        poll: () =>
          file.poll().map((message) => ({
            role: message.role,
            text: message.content,
            line: encoder.encode(contextLine(message)),
          })),
      };
    },
    oracle: oracle && {
      kind: oracle.kind,
      model: oracle.model,
      async open(totalMs) {
        const { openSessionOracle } = await import("../model_client/open_oracle.ts");
        return await openSessionOracle(oracle, runtime, totalMs);
      },
    },
    approvals: async (dir) =>
      (await import("../disk/approval/approval_folder.ts")).openApprovalFolder(dir),
    toolGate: async (job) => {
      const { openToolGate } = await import("../hai/shell/tool_gate_shell.ts");
      return openToolGate(job, { version: VERSION, unixMs: () => runtime.unixMs() });
    },
    server: name ?? place,
    serverName: name,
  });
}
