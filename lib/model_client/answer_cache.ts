/**
 * Caches the oracle's answers on disk: one file per question, named by the question's key.
 *
 * An entry holds answers, never the state of the question. Folders have mode 0700, files 0600; a
 * broken entry counts as missing and is overwritten.
 *
 * @module
 */

import { z } from "zod";
import type { AnswerEntry, AnswerStore } from "../oracle/oracle.ts";
import { writeFileAtomically } from "../disk/atomic_write.ts";

const entrySchema = z.object({
  key: z.string(),
  model: z.string(),
  response: z.unknown(),
  asked_unix_ms: z.number().min(0),
  ms: z.number().min(0),
});

/**
 * Opens a cache; its folder is created with the first answer.
 *
 * @param dir The folder.
 * @returns The cache.
 */
export function answerCache(dir: string): AnswerStore {
  const folderOf = (key: string) => `${dir}/${key.slice(0, 2)}`;
  return {
    find: (key) => read(`${folderOf(key)}/${key}.json`, key),
    put: ({ key, model, response, asked_unix_ms, ms }) => {
      const text = JSON.stringify({ key, model, response, asked_unix_ms, ms }) + "\n";
      try {
        Deno.mkdirSync(folderOf(key), { recursive: true, mode: 0o700 });
        writeFileAtomically(`${folderOf(key)}/${key}.json`, text, { flushFolder: false });
        return true;
      } catch {
        return false; // A full disk, or no access: the caller stops asking.
      }
    },
  };
}

/**
 * Deletes answers that were not changed for longer than a number of days.
 *
 * @param dir The cache's folder; it may be missing.
 * @param options `days`, and the time now.
 * @returns The number of deleted answers; those that cannot be deleted stay.
 */
export function pruneAnswers(
  dir: string,
  { days, nowUnixMs }: { readonly days: number; readonly nowUnixMs: number },
): number {
  const oldest = nowUnixMs - days * 86_400_000;
  let deleted = 0;
  for (const folder of namesIn(dir).filter((name) => /^[\da-f]{2}$/.test(name))) {
    for (const name of namesIn(`${dir}/${folder}`).filter((n) => n.endsWith(".json"))) {
      const path = `${dir}/${folder}/${name}`;
      try {
        if ((Deno.lstatSync(path).mtime?.getTime() ?? nowUnixMs) >= oldest) continue;
        Deno.removeSync(path);
        deleted++;
      } catch {
        // Another process has deleted it, or it is not ours to delete.
      }
    }
  }
  return deleted;
}

function namesIn(dir: string): string[] {
  try {
    return [...Deno.readDirSync(dir)].map(({ name }) => name);
  } catch {
    return [];
  }
}

function read(path: string, key: string): AnswerEntry | undefined {
  try {
    const entry = entrySchema.safeParse(JSON.parse(Deno.readTextFileSync(path))).data;
    return entry?.key === key ? entry : undefined;
  } catch {
    return undefined; // Missing or damaged: the question is asked again.
  }
}
