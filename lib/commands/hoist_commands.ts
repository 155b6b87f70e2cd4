/**
 * The table of `hoist`'s commands. The code of a command is loaded when it is called.
 *
 * @module
 */

import type { FlagTable } from "../flags/flags.ts";
import { type Command, commandWith, filesOf, withFiles, withOracle } from "./loaded_command.ts";
import { CHECK, LOCK, SERVE } from "./recording_commands.ts";

/** Every command by name, in the order of `hoist --help` and of docs/cli.md. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  init: commandWith({
    summary: "Put hoist-mcp in front of MCP servers in a host's configuration.",
    load: async () => {
      const { INIT_FLAGS } = await import("./machine/init_flags.ts");
      const { initCommand } = await import("./machine/init_command.ts");
      return { command: initCommand, tables: [INIT_FLAGS] };
    },
    ports: async (runtime) => {
      const { setupMachine } = await import("../runtime/setup_machine.ts");
      const { intercepts } = await import("../intercept/asked_for.ts");
      return {
        machine: {
          ...setupMachine(runtime),
          oracle: async (options) => {
            if (!intercepts(options.interceptors)) return undefined;
            const { readJobs } = await import("../proxy/interceptors.ts");
            // Only what is needed is asked: nothing is taken away.
            return (await readJobs({ ...options, printPermissions: true }, runtime)).oracle;
          },
        },
      };
    },
  }),
  doctor: commandWith({
    summary: "Check this machine and the hosts' configurations.",
    keeps: ["run", "net"],
    load: async () => {
      const { DOCTOR_FLAGS, doctorCommand } = await import("./machine/doctor_command.ts");
      return { command: doctorCommand, tables: [DOCTOR_FLAGS] };
    },
    ports: async (runtime) => {
      const { doctorMachine } = await import("../runtime/doctor_machine.ts");
      const upstream = async (url: string, timeoutMs: number) =>
        (await import("../auth/upstream_findings.ts")).upstreamFindings(url, {
          runtime,
          timeoutMs,
        });
      return { machine: { ...doctorMachine(runtime), upstream } };
    },
  }),
  auth: commandWith({
    summary: "Sign in at MCP servers over HTTP: login, status, logout.",
    keeps: ["net", "run"],
    load: async () => {
      const flags = await import("./auth/auth_flags.ts");
      const { authCommand } = await import("./auth/auth_command.ts");
      const { AUTH_FLAGS, AUTH_LOGIN_FLAGS, AUTH_STATUS_FLAGS, AUTH_LOGOUT_FLAGS } = flags;
      const tables = [AUTH_FLAGS, AUTH_LOGIN_FLAGS, AUTH_STATUS_FLAGS, AUTH_LOGOUT_FLAGS];
      return { command: authCommand, tables };
    },
    ports: async (runtime) => (await import("../auth/auth_machine.ts")).authMachine(runtime),
  }),
  completions: commandWith({
    summary: "Print completions for a shell.",
    load: async () => {
      const { COMPLETIONS_FLAGS, completionsCommand } = await import("./completions_command.ts");
      return { command: completionsCommand, tables: [COMPLETIONS_FLAGS] };
    },
    ports: async () => ({ tables: await flagTables() }),
  }),
  episodes: commandWith({
    summary: "List the sessions of a folder, or print one as a timeline.",
    load: async () => {
      const { EPISODES_FLAGS, episodesCommand } = await import("./sessions/episodes_command.ts");
      return { command: episodesCommand, tables: [EPISODES_FLAGS] };
    },
    ports: async () => ({ store: (await import("../disk/log_store.ts")).diskLogs }),
  }),
  console: commandWith({
    summary: "Show recorded sessions in a browser, and follow those that run.",
    keeps: ["run", "net"],
    load: async () => {
      const { CONSOLE_FLAGS, consoleCommand } = await import("./console/console_command.ts");
      return { command: consoleCommand, tables: [CONSOLE_FLAGS] };
    },
    ports: async (runtime, self) => {
      const { consoleMachine } = await import("../console/shell/console_machine.ts");
      return { machine: consoleMachine(runtime, self) };
    },
  }),
  "log-check": commandWith({
    summary: "Check that session logs are consistent.",
    load: async () => {
      const { LOG_CHECK_FLAGS, logCheckCommand } = await import("./sessions/log_check_command.ts");
      return { command: logCheckCommand, tables: [LOG_CHECK_FLAGS] };
    },
    ports: async () => ({ store: (await import("../disk/log_store.ts")).diskLogs }),
  }),
  tools: withFiles("Show which listed tools sessions used, and what the list costs.", async () => {
    const { TOOLS_FLAGS, toolsCommand } = await import("./catalog/tools_command.ts");
    return { command: toolsCommand, tables: [TOOLS_FLAGS] };
  }),
  diff: withFiles("Show what changed between two tool lists, and what it breaks.", async () => {
    const { DIFF_FLAGS, diffCommand } = await import("./catalog/diff_command.ts");
    return { command: diffCommand, tables: [DIFF_FLAGS] };
  }),
  serve: SERVE,
  check: CHECK,
  lock: LOCK,
  learn: withOracle("Learn a flow from recorded sessions.", async () => {
    const { LEARN_FLAGS, learnCommand } = await import("./learning/learn_command.ts");
    return { command: learnCommand, tables: [LEARN_FLAGS] };
  }),
  compile: withOracle("Learn a flow and fit its arbiter on an oracle's answers.", async () => {
    const { COMPILE_FLAGS, compileCommand } = await import("./learning/compile_command.ts");
    return { command: compileCommand, tables: [COMPILE_FLAGS] };
  }),
  replay: withOracle("Measure what a flow would have saved in recorded sessions.", async () => {
    const { REPLAY_FLAGS, replayCommand } = await import("./flow/replay_command.ts");
    return { command: replayCommand, tables: [REPLAY_FLAGS] };
  }),
  prove: withFiles("Show what a flow would have saved in your own sessions.", async () => {
    const { PROVE_FLAGS, proveCommand } = await import("./savings/prove_command.ts");
    return { command: proveCommand, tables: [PROVE_FLAGS] };
  }),
  savings: withFiles("Measure what a flow saved, against sessions held out.", async () => {
    const { SAVINGS_FLAGS, savingsCommand } = await import("./savings/savings_command.ts");
    return { command: savingsCommand, tables: [SAVINGS_FLAGS] };
  }),
  promote: withOracle("Let a flow act only at sites with a good record.", async () => {
    const { PROMOTE_FLAGS, promoteCommand } = await import("./flow/promote_command.ts");
    return { command: promoteCommand, tables: [PROMOTE_FLAGS] };
  }),
  audit: withOracle("Score a flow's probabilities against what agents did.", async () => {
    const { AUDIT_FLAGS, auditCommand } = await import("./flow/audit_command.ts");
    return { command: auditCommand, tables: [AUDIT_FLAGS] };
  }),
  drift: withOracle("Alarm when sessions have changed.", async () => {
    const { DRIFT_FLAGS, driftCommand } = await import("./flow/drift_command.ts");
    return { command: driftCommand, tables: [DRIFT_FLAGS] };
  }),
  evaluate: withFiles("Estimate the results of other decision rules.", async () => {
    const { EVALUATE_FLAGS, evaluateCommand } = await import("./flow/evaluate_command.ts");
    return { command: evaluateCommand, tables: [EVALUATE_FLAGS] };
  }),
  "flow-check": withFiles("Check that flow logs fit their flow.", async () => {
    const { FLOW_CHECK_FLAGS, flowCheckCommand } = await import("./flow/flow_check_command.ts");
    return { command: flowCheckCommand, tables: [FLOW_CHECK_FLAGS] };
  }),
  "flow-show": withFiles("Show what a flow knows.", async () => {
    const { FLOW_SHOW_FLAGS, flowShowCommand } = await import("./flow/flow_show_command.ts");
    return { command: flowShowCommand, tables: [FLOW_SHOW_FLAGS] };
  }),
  "flow-diff": withFiles("Show what changed between two flows.", async () => {
    const { FLOW_DIFF_FLAGS, flowDiffCommand } = await import("./flow/flow_diff_command.ts");
    return { command: flowDiffCommand, tables: [FLOW_DIFF_FLAGS] };
  }),
  stage: withOracle("Learn the next flow beside the committed one and compare them.", async () => {
    const { STAGE_FLAGS, stageCommand } = await import("./learning/stage_command.ts");
    return { command: stageCommand, tables: [STAGE_FLAGS] };
  }),
  "flow-commit": withFiles("Put the staged flow in place.", async () => {
    const { FLOW_COMMIT_FLAGS, flowCommitCommand } = await import(
      "./flow/flow_version_commands.ts"
    );
    return { command: flowCommitCommand, tables: [FLOW_COMMIT_FLAGS] };
  }),
  "flow-rollback": withFiles("Restore an earlier version of a flow.", async () => {
    const { FLOW_ROLLBACK_FLAGS, flowRollbackCommand } = await import(
      "./flow/flow_version_commands.ts"
    );
    return { command: flowRollbackCommand, tables: [FLOW_ROLLBACK_FLAGS] };
  }),
  "flow-log": withFiles("List the versions of a flow.", async () => {
    const { FLOW_LOG_FLAGS, flowLogCommand } = await import("./flow/flow_version_commands.ts");
    return { command: flowLogCommand, tables: [FLOW_LOG_FLAGS] };
  }),
  redact: commandWith({
    summary: "Copy session logs, with pseudonyms for rare values.",
    load: async () => {
      const { REDACT_FLAGS, redactCommand } = await import("./sessions/redact_command.ts");
      return { command: redactCommand, tables: [REDACT_FLAGS] };
    },
    ports: async (runtime) => {
      const { keyedHash } = await import("../runtime/keyed_hash.ts");
      return { files: await filesOf(runtime), keyedHash };
    },
  }),
  export: commandWith({
    summary: "Write recorded sessions as Parquet files, or send them as OpenTelemetry spans.",
    keeps: ["net"],
    load: async () => {
      const { EXPORT_FLAGS, exportCommand } = await import("./sessions/export_command.ts");
      return { command: exportCommand, tables: [EXPORT_FLAGS] };
    },
    ports: async (runtime) => {
      const { ParquetFolder } = await import("../disk/export/parquet_folder.ts");
      return {
        ...(await import("../http_client/span_ports.ts")).spanPorts(runtime),
        store: (await import("../disk/log_store.ts")).diskLogs,
        keyedHash: (await import("../runtime/keyed_hash.ts")).keyedHash,
        parquet: (dir: string) => new ParquetFolder(dir),
        newSecret: () => crypto.randomUUID(),
      };
    },
  }),
  guards: withFiles("Test policy rules against recorded sessions.", async () => {
    const { GUARDS_FLAGS, guardsCommand } = await import("./guard/guards_command.ts");
    return { command: guardsCommand, tables: [GUARDS_FLAGS] };
  }),
  approve: commandWith({
    summary: "Answer the calls that wait for a person.",
    load: async () => {
      const { APPROVE_COMMAND_FLAGS, approveCommand } = await import("./guard/approve_command.ts");
      return { command: approveCommand, tables: [APPROVE_COMMAND_FLAGS] };
    },
    ports: async (runtime) => ({
      desk: (await import("../runtime/approval_desk.ts")).approvalDesk(runtime),
    }),
  }),
  confirm: withOracle("Test the confirmation judge against recorded writes.", async () => {
    const { CONFIRM_FLAGS, confirmCommand } = await import("./guard/confirm_command.ts");
    return { command: confirmCommand, tables: [CONFIRM_FLAGS] };
  }),
  "context-hook": commandWith({
    summary: "A hook for Claude Code that writes the conversation for --context.",
    load: async () => {
      const { CONTEXT_HOOK_FLAGS, contextHookCommand } = await import("./context_hook_command.ts");
      return { command: contextHookCommand, tables: [CONTEXT_HOOK_FLAGS] };
    },
    ports: async () => {
      const writer = await import("../disk/context_writer.ts");
      return {
        readInput: () => new Response(Deno.stdin.readable).text(),
        append: writer.appendContext,
        empty: writer.emptyContext,
        lastMessage: writer.lastMessage,
        endOfFile: writer.endOfFile,
      };
    },
  }),
  "hai-map": commandWith({
    summary: "Draft what a server's tools are, for hoist-mcp --hai: init.",
    keeps: ["run", "net", "sys"],
    load: async () => {
      const { HAI_MAP_FLAGS, haiMapCommand } = await import("./hai/hai_map_command.ts");
      return { command: haiMapCommand, tables: [HAI_MAP_FLAGS] };
    },
    ports: async (runtime) => {
      const { listTools } = await import("../sdk/list_tools.ts");
      return { files: await filesOf(runtime), listTools };
    },
  }),
  procedure: commandWith({
    summary: "Compile a procedure from recorded sessions, or check one: compile, check.",
    keeps: ["run", "net", "sys"],
    load: async () => {
      const [{ PROCEDURE_FLAGS, procedureCommand }, compile, check] = await Promise.all([
        import("./procedure/procedure_command.ts"),
        import("./procedure/procedure_compile_command.ts"),
        import("./procedure/procedure_check_command.ts"),
      ]);
      return {
        command: procedureCommand,
        tables: [PROCEDURE_FLAGS, compile.PROCEDURE_COMPILE_FLAGS, check.PROCEDURE_CHECK_FLAGS],
      };
    },
    ports: async (runtime) => {
      const { listTools } = await import("../sdk/list_tools.ts");
      return { files: await filesOf(runtime), listTools };
    },
  }),
};

/** The command line of `hoist` itself; each command has its own. */
export const HOIST_FLAGS: FlagTable = {
  program: "hoist",
  summary:
    "Sets up hosts, reads recorded sessions, and makes and tests flows, guards and procedures.",
  usage: ["COMMAND [OPTIONS]"],
  flags: [],
  examples: ["hoist episodes ~/.hoist/logs/orders"],
  notes: [
    [
      "Commands:",
      ...Object.entries(COMMANDS).map(([name, c]) => `  ${name.padEnd(13)} ${c.summary}`),
    ]
      .join("\n"),
    "'hoist COMMAND --help' describes each.",
  ],
};

/** The command line of every program and every command, in the order of docs/cli.md. */
export async function flagTables(): Promise<readonly FlagTable[]> {
  const tables = await Promise.all(Object.values(COMMANDS).map((command) => command.tables()));
  const { withOtherPrograms } = await import("./flag_tables.ts");
  return withOtherPrograms([HOIST_FLAGS, ...tables.flat()]);
}
