/**
 * How the commands that stand in for a server, or hold one to what was seen of it, are put together.
 *
 * @module
 */

import { type Command, commandWith, filesOf } from "./loaded_command.ts";

/** `hoist serve`. */
export const SERVE: Command = commandWith({
  summary: "Serve recorded sessions as an MCP server.",
  keeps: ["run"],
  load: async () => {
    const { SERVE_COMMAND_FLAGS, serveCommand } = await import("./sessions/serve_command.ts");
    return { command: serveCommand, tables: [SERVE_COMMAND_FLAGS] };
  },
  ports: async (runtime) => {
    const { openTape } = await import("../disk/tape/tape_files.ts");
    const { diskLogs } = await import("../disk/log_store.ts");
    const { hostInput, hostOutput } = await import("../relay/stdio.ts");
    const { listenInFront, proxyWords } = await import("../runtime/own_proxy.ts");
    const { RecordedServer } = await import("../raw_client/recorded_server.ts");
    return {
      store: diskLogs,
      files: await filesOf(runtime),
      openTape,
      input: hostInput,
      output: hostOutput,
      startServer: (record: string, command: readonly string[]) =>
        new RecordedServer(
          proxyWords(["--record", record, "--", ...command], runtime),
          runtime.say,
        ),
      listen: (address: string, args: readonly string[]) => listenInFront(address, args, runtime),
    };
  },
});

/** `hoist lock`. */
export const LOCK: Command = commandWith({
  summary: "Write down what a server lists, and show what has changed since.",
  keeps: ["run"],
  load: async () => {
    const { LOCK_COMMAND_FLAGS, lockCommand } = await import("./catalog/lock_command.ts");
    return { command: lockCommand, tables: [LOCK_COMMAND_FLAGS] };
  },
  ports: async (runtime) => {
    const { readLists } = await import("../raw_client/read_lists.ts");
    const { askOnStderr } = await import("../runtime/ask_on_stderr.ts");
    const ask = Deno.stdin.isTerminal() ? askOnStderr : undefined;
    return { files: await filesOf(runtime), readLists, ask };
  },
});

/** `hoist check`. */
export const CHECK: Command = commandWith({
  summary: "Play recorded sessions to a server, and compare its answers.",
  keeps: ["run"],
  load: async () => {
    const { CHECK_FLAGS, checkCommand } = await import("./sessions/check_command.ts");
    return { command: checkCommand, tables: [CHECK_FLAGS] };
  },
  ports: async (runtime) => {
    const { serverStarter } = await import("../raw_client/live_server.ts");
    const { diskLogs } = await import("../disk/log_store.ts");
    return { store: diskLogs, files: await filesOf(runtime), start: serverStarter(runtime.say) };
  },
});
