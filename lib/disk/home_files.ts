/**
 * The files of `hoist` commands: a leading `~` in a path is the home directory, also where no shell
 * expands it.
 *
 * @module
 */

import { expandHome } from "../flags/expand_home.ts";
import { diskFiles } from "./file_store.ts";
import type { Runtime } from "../ports/runtime.ts";
import { reasonOf } from "../text/reason.ts";
import type { FlowLogStore } from "../ports/files.ts";

/**
 * Makes the files.
 *
 * @param runtime Whose home directory.
 * @returns The files on disk; a path with `~` throws, naming the path, where HOME is not set.
 */
export function homeFiles(runtime: Pick<Runtime, "env">): FlowLogStore {
  const at = (path: string): string => {
    const expanded = expandHome(path, runtime.env("HOME") ?? runtime.env("USERPROFILE"));
    if (expanded === null) throw new Error(`Cannot find "${path}": HOME is not set`);
    return expanded;
  };
  const inFolder = async <T>(dir: string, list: (dir: string) => Promise<T>): Promise<T> => {
    try {
      return await list(at(dir));
    } catch (error) {
      const why = reasonOf(error);
      throw new Error(why.startsWith("Cannot") ? why : `Cannot read folder "${dir}": ${why}`, {
        cause: error,
      });
    }
  };
  return {
    // Async, so that an error of `at` rejects.
    readText: async (path) => await diskFiles.readText(at(path)),
    replace: async (path, text) => await diskFiles.replace(at(path), text),
    listLogs: (dir) => inFolder(dir, diskFiles.listLogs),
    listFlowLogs: (dir) => inFolder(dir, diskFiles.listFlowLogs),
    readLog: async (path) => await diskFiles.readLog(at(path)),
  };
}
