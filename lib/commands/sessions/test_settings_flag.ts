/**
 * `--settings`: the file that says what may differ from a recording.
 *
 * @module
 */

import {
  NO_MASKS,
  readTestSettings,
  TEST_SETTINGS_FILE,
  type TestSettings,
} from "../../check/test_settings.ts";
import { UsageError } from "../../cli/command.ts";
import type { Flag, FlagValues } from "../../flags/flags.ts";
import type { FileStore } from "../../ports/files.ts";
import { printable } from "../../text/printable.ts";
import { reasonOf } from "../../text/reason.ts";
import { textIfThere } from "./text_if_there.ts";

/** The flag. */
export const SETTINGS_FLAG: Flag = {
  name: "settings",
  value: "FILE",
  help: `What may differ. Default: ${TEST_SETTINGS_FILE} in the folder of the logs.`,
};

/**
 * Reads the settings.
 *
 * @param path The folder of the logs, or one log.
 * @param given The command line and the disk.
 * @returns What may differ; nothing where there is no file and none was named.
 * @throws {UsageError} When the file cannot be understood; names it, and the place.
 */
export async function testSettings(
  { path, isFolder }: { readonly path: string; readonly isFolder: boolean },
  { values, files }: { readonly values: FlagValues; readonly files: Pick<FileStore, "readText"> },
): Promise<TestSettings> {
  const folder = isFolder ? path.replace(/(?<=.)\/+$/, "") : path.replace(/[^/\\]*$/, "") || ".";
  const given = values.get("settings");
  const file = given ?? `${folder.replace(/(?<=.)\/$/, "")}/${TEST_SETTINGS_FILE}`;
  const text = given === undefined ? await textIfThere(files, file) : await files.readText(file);
  if (text === undefined) return NO_MASKS;
  const { readJsonConfig } = await import("../../host_config/json_config.ts");
  try {
    return readTestSettings(readJsonConfig(text).root.value);
  } catch (error) {
    throw new UsageError(`Cannot read "${printable(file)}": ${reasonOf(error)}`);
  }
}
