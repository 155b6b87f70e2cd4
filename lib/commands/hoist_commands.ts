/**
 * The subcommands of `hoist`, each loaded when it is called.
 *
 * @module
 */

import type { FlagTable } from "../flags/flags.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { OracleDoor } from "../ports/oracle_door.ts";
import type { FlowLogStore } from "../ports/files.ts";

/** A subcommand: what it does, and the code that does it, loaded when it is called. */
export interface Command {
  readonly summary: string;
  /** Permissions it needs besides read, write and env. */
  readonly keeps?: readonly ("run" | "net" | "sys")[];
  run(args: readonly string[], runtime: Runtime): Promise<number>;
}

/** Every subcommand by name. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  init: {
    summary: "Put hoist-mcp before MCP servers in a host's configuration.",
    run: async (args, runtime) => {
      const { initCommand } = await import("./machine/init_command.ts");
      const { setupMachine } = await import("../runtime/setup_machine.ts");
      const { isActive } = await import("../proxy_options/proxy_flags.ts");
      return await initCommand(args, runtime, {
        ...setupMachine(runtime),
        oracle: async (options) => {
          if (!isActive(options)) return undefined;
          const { readActive } = await import("../proxy/active_job.ts");
          return (await readActive(options, runtime)).oracle;
        },
      });
    },
  },
  doctor: {
    summary: "Check this machine and the hosts' configurations.",
    keeps: ["run"],
    run: async (args, runtime) => {
      const { doctorCommand } = await import("./machine/doctor_command.ts");
      const { doctorMachine } = await import("../runtime/doctor_machine.ts");
      return await doctorCommand(args, runtime, doctorMachine(runtime));
    },
  },
  completions: {
    summary: "Print completions for a shell.",
    run: async (args, runtime) => {
      const { completionsCommand } = await import("./completions_command.ts");
      const { FLAG_TABLES } = await import("./flag_tables.ts");
      return await completionsCommand(args, runtime, FLAG_TABLES);
    },
  },
  episodes: {
    summary: "List the sessions of a folder, or print one as a timeline.",
    run: async (args, runtime) => {
      const { episodesCommand } = await import("./sessions/episodes_command.ts");
      const { diskLogs } = await import("../disk/log_store.ts");
      return await episodesCommand(args, runtime, diskLogs);
    },
  },
  "log-check": {
    summary: "Say whether session logs hold together.",
    run: async (args, runtime) => {
      const { logCheckCommand } = await import("./sessions/log_check_command.ts");
      const { diskLogs } = await import("../disk/log_store.ts");
      return await logCheckCommand(args, runtime, diskLogs);
    },
  },
  learn: withOracle(
    "Learn a flow from recorded sessions.",
    async () => (await import("./flow/learn_command.ts")).learnCommand,
  ),
  compile: withOracle(
    "Learn a flow and fit its arbiter on an oracle's answers.",
    async () => (await import("./flow/compile_command.ts")).compileCommand,
  ),
  replay: withOracle(
    "Measure what a flow would have saved in recorded sessions.",
    async () => (await import("./flow/replay_command.ts")).replayCommand,
  ),
  promote: withOracle(
    "Let only the sites act that have proved themselves.",
    async () => (await import("./flow/promote_command.ts")).promoteCommand,
  ),
  audit: withOracle(
    "Score a flow's probabilities against what agents did.",
    async () => (await import("./flow/audit_command.ts")).auditCommand,
  ),
  evaluate: withFiles(
    "Estimate what other rules would have earned.",
    async () => (await import("./flow/evaluate_command.ts")).evaluateCommand,
  ),
  drift: withOracle(
    "Sound an alarm when sessions have changed.",
    async () => (await import("./flow/drift_command.ts")).driftCommand,
  ),
  "flow-check": withFiles(
    "Score the runs of flow logs again by the flow.",
    async () => (await import("./flow/flow_check_command.ts")).flowCheckCommand,
  ),
  "flow-show": withFiles(
    "Show what a flow knows.",
    async () => (await import("./flow/flow_show_command.ts")).flowShowCommand,
  ),
  "flow-diff": withFiles(
    "Show what changed between two flows.",
    async () => (await import("./flow/flow_diff_command.ts")).flowDiffCommand,
  ),
  stage: withOracle(
    "Learn the next flow beside the committed one and compare them.",
    async () => (await import("./flow/stage_command.ts")).stageCommand,
  ),
  "flow-commit": withFiles(
    "Put the staged flow in place.",
    async () => (await import("./flow/flow_version_commands.ts")).flowCommitCommand,
  ),
  "flow-rollback": withFiles(
    "Put an earlier version of a flow back.",
    async () => (await import("./flow/flow_version_commands.ts")).flowRollbackCommand,
  ),
  "flow-log": withFiles(
    "List the versions of a flow.",
    async () => (await import("./flow/flow_version_commands.ts")).flowLogCommand,
  ),
  guards: withFiles(
    "Test policy rules against recorded sessions.",
    async () => (await import("./guard/guards_command.ts")).guardsCommand,
  ),
  procedure: {
    summary: "Compile a procedure from recorded sessions, or check one: compile, check.",
    keeps: ["run", "net", "sys"],
    run: async (args, runtime) => {
      const { procedureCommand } = await import("./procedure/procedure_command.ts");
      const { homeFiles } = await import("../disk/home_files.ts");
      const { listTools } = await import("../sdk/list_tools.ts");
      return await procedureCommand(args, runtime, { files: homeFiles(runtime), listTools });
    },
  },
  confirm: withOracle(
    "Test the confirmation judge against recorded writes.",
    async () => (await import("./guard/confirm_command.ts")).confirmCommand,
  ),
  "context-hook": {
    summary: "A hook for Claude Code that writes the conversation for --context.",
    run: async (args, runtime) => {
      const { contextHookCommand } = await import("./context_hook_command.ts");
      const writer = await import("../disk/context_writer.ts");
      return await contextHookCommand(args, runtime, {
        readInput: () => new Response(Deno.stdin.readable).text(),
        append: writer.appendContext,
        empty: writer.emptyContext,
        lastMessage: writer.lastMessage,
        endOfFile: writer.endOfFile,
      });
    },
  },
  redact: {
    summary: "Copy session logs with pseudonyms for what few sessions share.",
    run: async (args, runtime) => {
      const { redactCommand } = await import("./sessions/redact_command.ts");
      const { homeFiles } = await import("../disk/home_files.ts");
      const { keyedHash } = await import("../runtime/keyed_hash.ts");
      return await redactCommand(args, runtime, { ...homeFiles(runtime), keyedHash });
    },
  },
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
    "'hoist COMMAND --help' tells more.",
  ],
};

type FileCommand = (
  args: readonly string[],
  runtime: Runtime,
  files: FlowLogStore,
) => Promise<number>;

type OracleCommand = (
  ...args: [...Parameters<FileCommand>, door: OracleDoor]
) => Promise<number>;

/** A command that reads and writes files and may ask the oracle. */
function withOracle(summary: string, load: () => Promise<OracleCommand>): Command {
  return {
    summary,
    keeps: ["net", "sys"],
    run: async (args, runtime) => {
      const { homeFiles } = await import("../disk/home_files.ts");
      const { oracleDoor } = await import("../model_client/oracle_door.ts");
      return await (await load())(args, runtime, homeFiles(runtime), oracleDoor(runtime));
    },
  };
}

/** A command that reads and writes files. */
function withFiles(summary: string, load: () => Promise<FileCommand>): Command {
  return {
    summary,
    run: async (args, runtime) => {
      const { homeFiles } = await import("../disk/home_files.ts");
      return await (await load())(args, runtime, homeFiles(runtime));
    },
  };
}
