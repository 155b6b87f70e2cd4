/**
 * `hoist redact`: copies session logs so that they can be shared.
 *
 * @module
 */

import { logStem, plainLogName } from "../../log/log_names.ts";
import type { Runtime } from "../../ports/runtime.ts";
import type { ListedLog } from "../../log/log.ts";
import { Redactor } from "../../redact/redact_log.ts";
import { commandOf, needed, numberFlag, type Run, UsageError } from "../../cli/command.ts";
import type { FlagTable } from "../../flags/flags.ts";
import { isMissing, textIfThere } from "./text_if_there.ts";
import type { FileStore } from "../../ports/files.ts";
import { noSessions } from "./no_sessions.ts";

/** The table of `hoist redact`. */
export const REDACT_FLAGS: FlagTable = {
  program: "hoist redact",
  summary: "Copies session logs, with keyed pseudonyms for values that few sessions share.",
  examples: ["hoist redact --sessions ~/.hoist/logs/orders --out shared"],
  usage: ["--sessions DIR --out DIR [OPTIONS]"],
  flags: [
    {
      name: "sessions",
      value: "DIR",
      help: "The logs; flow and confirm logs beside them are copied the same way.",
    },
    { name: "out", value: "DIR", help: "Where the copies go: another folder, without logs in it." },
    {
      name: "salt-env",
      value: "VAR",
      help: "Variable with the secret of the pseudonyms. Default: HOIST_REDACT_SALT.",
    },
    {
      name: "keep-shared",
      value: "N",
      help: "Keep values that at least N sessions share. Default: 3.",
    },
    {
      name: "hash-field",
      value: "NAME",
      repeat: true,
      help: "Hide the values of this field however many sessions share them.",
    },
  ],
  notes: [
    "Nothing is written when a copy still holds a value that should be hidden.",
    "Exit status: 0 done; 1 something could not be read, hidden or written; 2 wrong usage.",
  ],
};

/** Makes the keyed hash of a salt. */
export type MakeHash = (salt: string) => (text: string) => string;

/** What the command works with: the logs, and the hash. */
export interface RedactPorts {
  readonly files: FileStore;
  readonly keyedHash: MakeHash;
}

/** Runs `hoist redact`. */
export const redactCommand = commandOf(REDACT_FLAGS, redact);

async function redact({ values, runtime, files, keyedHash }: Run<RedactPorts>): Promise<number> {
  const dir = needed(values, "sessions").replace(/(?<=.)\/+$/, "");
  const out = needed(values, "out").replace(/(?<=.)\/+$/, "");
  if (out === dir) throw new UsageError("--out must be another folder than --sessions");
  const variable = values.get("salt-env") ?? "HOIST_REDACT_SALT";
  const salt = runtime.env(variable);
  if (salt === undefined) {
    throw new UsageError(`${variable} is not set: it holds the secret of the pseudonyms`);
  }
  const keepShared = numberFlag(values, "keep-shared", { min: 1, max: 1e9, whole: true }) ?? 3;
  const logs = await files.listLogs(dir);
  if (logs.length === 0) throw noSessions(dir);
  if ((await logsIfThere(out, files)).length > 0) {
    throw new Error(`Cannot write to "${out}": it holds logs already`);
  }
  const hashFields = values.all("hash-field").flatMap((names) => names.split(","));
  const redactor = new Redactor({ hash: keyedHash(salt), keepShared, hashFields });
  const paths = logs.map(({ path }) => path);
  await hideAll(paths, files, redactor);
  redactor.numbersLeft = 0;
  // Every file is read before the first copy is written.
  const beside = await besideLogs(paths, files, redactor);
  for (const path of paths) {
    const text = redactor.rewrite(await files.readLog(path));
    await files.replace(`${out}/${nameOf(path)}`, text);
  }
  for (const [path, text] of beside) await files.replace(`${out}/${nameOf(path)}`, text);
  const { hidden, kept } = redactor.counts;
  if (redactor.numbersLeft > 0) {
    runtime.say(`${redactor.numbersLeft} fractions of five digits or more were left as they are`);
  }
  runtime.say(
    `wrote ${logs.length} sessions and ${beside.size} logs beside them to ${out}: ${hidden} values hidden, ${kept} kept`,
  );
  sayFields(redactor, runtime);
  return 0;
}

/** Learns which values to hide, and checks that each copy hides them. */
async function hideAll(
  paths: readonly string[],
  files: FileStore,
  redactor: Redactor,
): Promise<void> {
  for (const path of paths) redactor.learn(await files.readLog(path));
  for (const path of paths) redactor.rewrite(await files.readLog(path));
  for (const path of paths) {
    const left = redactor.survivors(redactor.rewrite(await files.readLog(path)));
    if (left.length > 0) {
      throw new Error(
        `Cannot redact "${path}": ${left.length} values that should be hidden are still in it (${
          left[0]
        })`,
      );
    }
  }
}

/** Fields that are named; those with fewer values are counted. */
const MAX_FIELDS = 12;

function sayFields(redactor: Redactor, runtime: Runtime): void {
  const fields = redactor.fieldCounts();
  const named = fields.slice(0, MAX_FIELDS).map((f) => `${f.field} ${f.hidden} and ${f.kept}`);
  const more = fields.length > MAX_FIELDS ? `; ${fields.length - MAX_FIELDS} more fields` : "";
  runtime.say(`values hidden and kept, by field: ${named.join(", ")}${more}`);
  const ids = fields.filter(({ keptIds }) => keptIds > 0);
  if (ids.length > 0) {
    const list = ids.slice(0, MAX_FIELDS).map((f) => `${f.field} (${f.keptIds})`).join(", ");
    runtime.say(
      `kept, since sessions share them, but they look like ids: ${list}; --hash-field hides`,
    );
  }
}

/** A copy's name: copies are not packed. */
function nameOf(path: string): string {
  return plainLogName(path).slice(path.lastIndexOf("/") + 1);
}

async function logsIfThere(dir: string, files: FileStore): Promise<readonly ListedLog[]> {
  try {
    return await files.listLogs(dir);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Flow and confirm logs of sessions, rewritten, by path. */
async function besideLogs(
  sessions: readonly string[],
  files: FileStore,
  redactor: Redactor,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const session of sessions) {
    for (const ending of [".flow.jsonl", ".confirm.jsonl"]) {
      const path = logStem(session) + ending;
      const text = await textIfThere(files, path) ?? await textIfThere(files, `${path}.gz`);
      if (text !== undefined) found.set(path, besideText(text, path, redactor));
    }
  }
  return found;
}

function besideText(text: string, path: string, redactor: Redactor): string {
  const lines = text.split("\n");
  return lines.flatMap((line, i) => {
    if (line.trim() === "") return [line];
    try {
      return [JSON.stringify(redactor.rewriteArguments(JSON.parse(line)))];
    } catch {
      if (i === lines.length - 1) return [""]; // What a crash cut off.
      throw new Error(`Cannot read "${path}": line ${i + 1} is not JSON`);
    }
  }).join("\n");
}
