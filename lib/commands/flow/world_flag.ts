/**
 * Who answers lookups that are only tried: the recording, or the benchmark's world.
 *
 * @module
 */

import type { AnswererOf } from "../../replay/replay_episode.ts";
import { worldAnswers } from "../../replay/world_answers.ts";
import type { WorldData } from "../../tau2/world.ts";
import { isObject, type JsonObject } from "../../json/json.ts";
import { UsageError } from "../../cli/command.ts";
import type { Flag, FlagValues } from "../../flags/flags.ts";
import { parseJson } from "../../cli/parse_json.ts";
import { textIfThere } from "../sessions/text_if_there.ts";
import type { FileStore } from "../../ports/files.ts";

/** The flag. */
export const WORLD_FLAG: Flag = {
  name: "world",
  value: "DIR",
  help: "Answer lookups from the τ²-bench databases in this folder, kept current by the recorded " +
    "writes, instead of from the recording alone.",
};

/** Names of the database files of a domain, the first that exists is taken. */
const FILES = ["-db.json.gz", "-db.reconstructed.json.gz", "-db.json"];

/**
 * Opens the world that the command line names.
 *
 * @param values The command line.
 * @param domain Whose world.
 * @param files Where the folder is.
 * @returns Who answers; undefined without the flag.
 * @throws {Error} When the folder has no database of the domain.
 */
export async function openAnswerer(
  values: FlagValues,
  domain: string,
  files: FileStore,
): Promise<AnswererOf | undefined> {
  const data = await openWorldData(values, domain, files);
  if (data === undefined) return undefined;
  if (domain === "retail" || domain === "airline") return worldAnswers(domain, data);
  throw new UsageError(`--world knows retail and airline, not "${domain}"`);
}

/**
 * Opens the database that the command line names.
 *
 * @param values The command line.
 * @param domain Whose database.
 * @param files Where it is.
 * @returns The database; undefined without the flag.
 * @throws {Error} When the folder has none of the domain.
 */
export async function openWorldData(
  values: FlagValues,
  domain: string,
  files: Pick<FileStore, "readText">,
): Promise<WorldData | undefined> {
  const dir = values.get("world");
  if (dir === undefined) return undefined;
  for (const ending of FILES) {
    const path = `${dir}/${domain}${ending}`;
    const text = await textIfThere(files, path);
    if (text !== undefined) return worldData(text, path);
  }
  throw new Error(`Cannot open the world: "${dir}" has no ${domain}${FILES.join(` or ${domain}`)}`);
}

function worldData(text: string, path: string): WorldData {
  const json = parseJson(text, path);
  if (!isObject(json)) throw new Error(`Cannot read "${path}": it is not an object`);
  const data: Record<string, JsonObject> = {};
  for (const [table, records] of Object.entries(json)) if (isObject(records)) data[table] = records;
  return data;
}
