/**
 * How the commands of `hoist` are put together: their code and their ports are loaded when they are
 * called.
 *
 * @module
 */

import type { CommandFunction } from "../cli/command.ts";
import type { FlagTable } from "../flags/flags.ts";
import type { FlowLogStore } from "../ports/files.ts";
import type { OracleDoor } from "../ports/oracle_door.ts";
import type { Runtime } from "../ports/runtime.ts";

/** A command. */
export interface Command {
  /** What it does, for `hoist --help`. */
  readonly summary: string;
  /** Permissions it needs besides read, write and env. */
  readonly keeps?: readonly ("run" | "net" | "sys")[];
  /** Its command line, and those of its own subcommands. */
  tables(): Promise<readonly FlagTable[]>;
  /** Runs it with the arguments after its name, and `self`, the URL of the program's module. */
  run(args: readonly string[], runtime: Runtime, self: string): Promise<number>;
}

/** A command's code. */
interface Loaded<Ports> {
  readonly command: CommandFunction<Ports>;
  readonly tables: readonly FlagTable[];
}

/** A command of its code and its ports, both loaded when they are needed. */
export function commandWith<Ports>({ load, ports, ...rest }: Pick<Command, "summary" | "keeps"> & {
  load(): Promise<Loaded<Ports>>;
  ports(runtime: Runtime, self: string): Promise<Ports>;
}): Command {
  return {
    ...rest,
    tables: async () => (await load()).tables,
    run: async (args, runtime, self) => {
      const { command } = await load();
      return await command(args, runtime, await ports(runtime, self));
    },
  };
}

/** A command that reads and writes files and may ask the oracle. */
export function withOracle(
  summary: string,
  load: () => Promise<Loaded<{ readonly files: FlowLogStore; readonly door: OracleDoor }>>,
): Command {
  return commandWith({
    summary,
    keeps: ["net", "sys"],
    load,
    ports: async (runtime) => {
      const { oracleDoor } = await import("../model_client/oracle_door.ts");
      return { files: await filesOf(runtime), door: oracleDoor(runtime) };
    },
  });
}

/** A command that reads and writes files. */
export function withFiles(
  summary: string,
  load: () => Promise<Loaded<{ readonly files: FlowLogStore }>>,
): Command {
  return commandWith({
    summary,
    load,
    ports: async (runtime) => ({ files: await filesOf(runtime) }),
  });
}

/** The disk, with paths under the home directory. */
export async function filesOf(runtime: Runtime): Promise<FlowLogStore> {
  return (await import("../disk/home_files.ts")).homeFiles(runtime);
}
