/**
 * Runs `hoist-procedure`: reads the files, starts the server, gives up permissions, and runs the
 * procedure step by step.
 *
 * Once the server has started, the run's JSON is always printed: also after a server's death, a
 * signal or a missing answer.
 *
 * @module
 */

import type { ProcedureRunOptions } from "./procedure_flags.ts";
import { answerLine, callLine, endLines } from "./procedure_trace.ts";
import { createLog } from "../../disk/log_folder.ts";
import { readText } from "../../disk/read_text.ts";
import { hostSession } from "../../log/header.ts";
import { printable } from "../../text/printable.ts";
import { redactArgs } from "../../log/redact_args.ts";
import { redactUrl } from "../../log/redact_url.ts";
import type { Procedure } from "../../procedure/procedure.ts";
import type { RunCall, RunEvent, RunOptions } from "../../procedure/run/run_step.ts";
import { ProcedureRun } from "../../procedure/run/run.ts";
import { exitCode } from "../../procedure/run/run_report.ts";
import { LogTap } from "../../relay/log_tap.ts";
import { sessionFacts } from "../../relay/session_log.ts";
import { onStopSignal } from "../../relay/stop_signals.ts";
import {
  ChildTransport,
  type ClientSdk,
  connectTools,
  type ServerTransport,
  type ToolClient,
  upstreamTransport,
} from "../../sdk/tool_client.ts";
import { upstreamNetwork } from "../../http_client/upstream_network.ts";
import { upstreamHeaders } from "../../http_client/upstream_headers.ts";
import { askOnStderr } from "../../runtime/ask_on_stderr.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { dropAllBut, permissionsLeft } from "../../runtime/permissions.ts";
import { reasonOf } from "../../text/reason.ts";
import { openReportFile, type ReportFile } from "../../disk/report_file.ts";

/** A wrong command line or file: status 2. */
class Unusable extends Error {}

/**
 * Runs the program.
 *
 * @param options What to do.
 * @param runtime The machine.
 * @returns The exit status.
 */
export async function runProcedureProgram(
  options: ProcedureRunOptions,
  runtime: Runtime,
): Promise<number> {
  try {
    const headers = upstreamHeaders(options.upstream, runtime);
    if (typeof headers === "string") throw new Unusable(headers);
    if (options.confirmsWrites && !Deno.stdin.isTerminal()) {
      throw new Unusable("--confirm-writes asks at the terminal, and standard input is none");
    }
    const prepared = await prepare(options);
    const out = openOut(options.out);
    const tap = openTap(options, runtime, prepared.procedure.domain);
    const print = (text: string) =>
      out === undefined ? runtime.print(text) : out.finish(text + "\n");
    try {
      return await withServer({ options, runtime, print, ...prepared }, headers, tap);
    } finally {
      out?.close();
      await tap?.close();
    }
  } catch (error) {
    runtime.say(printable(reasonOf(error)));
    return error instanceof Unusable ? 2 : 1;
  }
}

async function withServer(
  job: Job,
  headers: readonly (readonly [string, string])[],
  tap: LogTap | undefined,
): Promise<number> {
  const { options, runtime } = job;
  const { command, upstream } = options;
  // The server starts while the client is loaded.
  const child = upstream === undefined
    ? new ChildTransport({ command, tap, say: runtime.say })
    : undefined;
  try {
    const sdk = await import("@modelcontextprotocol/client");
    await child?.adopted;
    const debug = runtime.env("HOIST_DEBUG") === "permissions";
    const network = upstreamNetwork(upstream, runtime);
    dropAllBut(upstream === undefined ? [] : ["net"]);
    if (debug) permissionsLeft().forEach(runtime.say);
    return await drive(
      job,
      child ?? upstreamTransport(sdk, { url: upstream?.url ?? "", headers, network, tap }),
      sdk,
    );
  } finally {
    await child?.close();
    await child?.ended;
  }
}

interface Job {
  readonly options: ProcedureRunOptions;
  readonly runtime: Runtime;
  /** Prints the run's JSON, once. */
  print(text: string): void;
  readonly procedure: Procedure;
  readonly run: RunOptions;
}

async function drive(job: Job, transport: ServerTransport, sdk: ClientSdk): Promise<number> {
  const { options, runtime, procedure } = job;
  const machine = new ProcedureRun(procedure, job.run);
  const trace = runtime.terminal === undefined ? () => {} : runtime.say;
  const stopped = Promise.withResolvers<RunEvent & { readonly kind: "lost" }>();
  onStopSignal((signal) => {
    stopped.resolve({ kind: "lost", reason: `stopped by ${signal}` });
    transport.signal?.(signal);
  });
  let client: ToolClient | undefined;
  let event: RunEvent = { kind: "begin" };
  try {
    const connecting = connectTools(transport, { sdk, callTimeoutMs: options.callTimeoutMs });
    const connected = await Promise.race([connecting, stopped.promise]);
    if ("kind" in connected) event = connected;
    else {
      client = connected;
      await refuseOthers(procedure, connected);
    }
  } catch (error) {
    event = { kind: "lost", reason: faultOf(error, transport) };
  }
  for (let effect = machine.step(event); effect.kind !== "end"; effect = machine.step(event)) {
    if (effect.kind === "ask") {
      event = await Promise.race([confirmed(effect.call), stopped.promise]);
      continue;
    }
    trace(callLine(effect.call));
    event = await Promise.race([
      client?.call(effect.call) ?? stopped.promise,
      stopped.promise,
    ]);
    trace(answerLine(event));
  }
  const report = machine.report();
  job.print(JSON.stringify(report));
  if (runtime.terminal !== undefined) endLines(report).forEach(runtime.say);
  else if (report.reason !== null) runtime.say(printable(report.reason));
  await client?.close();
  return exitCode(report.verdict);
}

/** Refuses a server that the procedure was not made for. */
async function refuseOthers(procedure: Procedure, client: ToolClient): Promise<void> {
  const { toolFaults } = await import("../../procedure/run/verify_tools.ts");
  const faults = toolFaults(procedure, await client.tools());
  if (faults.length > 0) throw new Error(faults.join("; "));
}

async function prepare(
  options: ProcedureRunOptions,
): Promise<{ procedure: Procedure; run: RunOptions }> {
  try {
    const [{ readProcedure }, { readInputs, needsTicket }, { resultReader }, { lenientParser }] =
      await Promise.all([
        import("../../procedure/read_procedure.ts"),
        import("../../procedure/run/inputs.ts"),
        import("../../flow/state/read_result.ts"),
        import("../../flow/state/lenient.ts"),
      ]);
    const procedure = readProcedure(await readText(options.procedure), options.procedure);
    const inputs = readInputs(procedure, options.inputs);
    if (typeof inputs === "string") throw new Error(inputs);
    const file = options.ticketFile;
    const ticket = options.ticket ?? (file === undefined ? undefined : await readText(file));
    if (ticket === undefined && needsTicket(procedure)) {
      throw new Error("The procedure reads the ticket: give --ticket TEXT or --ticket-file FILE");
    }
    return {
      procedure,
      run: {
        ticket: ticket ?? "",
        inputs,
        read: resultReader(await lenientParser()),
        guard: await guardOf(options, procedure.domain),
        isDry: options.isDry,
        confirmsWrites: options.confirmsWrites,
      },
    };
  } catch (error) {
    throw new Unusable(reasonOf(error));
  }
}

async function guardOf(options: ProcedureRunOptions, domain: string): Promise<RunOptions["guard"]> {
  if (!options.guards && options.guardRules === undefined) return undefined;
  const { guardRun } = await import("../../procedure/run/guard_run.ts");
  const path = options.guardRules;
  if (path !== undefined) {
    const { openGuardRules } = await import("../../guard/rules/open_rules.ts");
    return guardRun(await openGuardRules(await readText(path), path));
  }
  const { GUARDED_DOMAINS, shippedRules } = await import("../../guard/rules/shipped_rules.ts");
  const rules = shippedRules(domain);
  if (rules !== undefined) return guardRun(rules);
  throw new Error(
    `--guards has rules for ${GUARDED_DOMAINS.join(" and ")}, and the procedure is of domain ` +
      `"${domain}"; give --guard-rules FILE`,
  );
}

function openTap(
  options: ProcedureRunOptions,
  runtime: Runtime,
  domain: string,
): LogTap | undefined {
  const { record: dir, serverName, upstream, command } = options;
  if (dir === undefined) return undefined;
  const startMs = runtime.monotonicMs();
  const record = {
    dir,
    serverName,
    domain,
    agentModel: "hoist-procedure",
    retainDays: undefined,
  };
  const server = upstream === undefined ? redactArgs(command) : [redactUrl(upstream.url)];
  const log = createLog(dir, {
    ...sessionFacts(record, server, runtime),
    hostSession: hostSession(runtime.env("HOIST_SESSION"), runtime.parentPid),
  });
  runtime.say(`recording to ${log.path}`);
  return new LogTap(log, startMs, runtime);
}

function openOut(path: string | undefined): ReportFile | undefined {
  try {
    return path === undefined ? undefined : openReportFile(path);
  } catch (error) {
    throw new Unusable(reasonOf(error));
  }
}

async function confirmed({ tool, arguments: args }: RunCall): Promise<RunEvent> {
  const question = `Call ${printable(tool)} ${printable(JSON.stringify(args))}? [y/N]`;
  const answer = await askOnStderr(question);
  return { kind: /^y(es)?$/i.test(answer?.trim() ?? "") ? "confirmed" : "declined" };
}

function faultOf(error: unknown, transport: ServerTransport): string {
  return transport.fault?.() ?? reasonOf(error);
}
