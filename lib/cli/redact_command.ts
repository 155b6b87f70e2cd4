/**
 * `hoist redact`: copies of session logs that can be shared.
 *
 * @module
 */

import type { Host } from "../host/host.ts";
import { Redactor } from "../redact/redact_log.ts";
import { needed, numberFlag, runCommand, UsageError } from "./command.ts";
import type { FlagTable, FlagValues } from "./flags.ts";
import type { FileStore } from "./recordings.ts";

/** The table of `hoist redact`. */
export const REDACT_FLAGS: FlagTable = {
  program: "hoist redact",
  summary: "Copies session logs with values that few sessions share replaced by keyed pseudonyms.",
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
      help: "Keep values that so many sessions share. Default: 3.",
    },
    {
      name: "hash-field",
      value: "NAME",
      repeat: true,
      help: "Hide the values of this field however many sessions share them.",
    },
  ],
  notes: [
    "Nothing is written when a value that should be hidden is found in a copy.",
    "Exit status: 0 done; 1 something could not be read, hidden or written; 2 wrong usage.",
  ],
};

/** Makes the keyed hash of a salt. */
export type MakeHash = (salt: string) => (text: string) => string;

/**
 * Runs `hoist redact`.
 *
 * @param args The arguments after the subcommand.
 * @param host Where to print; its environment holds the salt.
 * @param files Where logs are, and the hash.
 * @returns The exit status.
 */
export function redactCommand(
  args: readonly string[],
  host: Host,
  files: FileStore & { readonly keyedHash: MakeHash },
): Promise<number> {
  return runCommand(REDACT_FLAGS, args, host, (values) => run(values, host, files));
}

async function run(
  values: FlagValues,
  host: Host,
  files: FileStore & { readonly keyedHash: MakeHash },
): Promise<number> {
  const dir = needed(values, "sessions").replace(/(?<=.)\/+$/, "");
  const out = needed(values, "out").replace(/(?<=.)\/+$/, "");
  if (out === dir) throw new UsageError("--out must be another folder than --sessions");
  const variable = values.get("salt-env") ?? "HOIST_REDACT_SALT";
  const salt = host.env(variable);
  if (salt === undefined) {
    throw new UsageError(`${variable} is not set: it holds the secret of the pseudonyms`);
  }
  const keepShared = numberFlag(values, "keep-shared", { min: 1, max: 1e9, whole: true }) ?? 3;
  const logs = await files.listLogs(dir);
  if (logs.length === 0) throw new Error(`No sessions in "${dir}"`);
  if ((await files.listLogs(out).catch(() => [])).length > 0) {
    throw new Error(`Cannot write to "${out}": it holds logs already`);
  }
  const hashFields = values.all("hash-field").flatMap((names) => names.split(","));
  const redactor = new Redactor({ hash: files.keyedHash(salt), keepShared, hashFields });
  for (const { path } of logs) redactor.learn(await files.readLog(path));
  for (const { path } of logs) redactor.rewrite(await files.readLog(path));
  for (const { path } of logs) {
    const left = redactor.survivors(redactor.rewrite(await files.readLog(path)));
    if (left.length > 0) {
      throw new Error(
        `Cannot redact "${path}": ${left.length} values that should be hidden are still in it (${
          left[0]
        })`,
      );
    }
  }
  redactor.numbersLeft = 0;
  let beside = 0;
  for (const { path } of logs) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    await files.replace(`${out}/${name}`, redactor.rewrite(await files.readLog(path)));
    for (const ending of [".flow.jsonl", ".confirm.jsonl"]) {
      const text = await files.readText(path.replace(/\.jsonl$/, ending)).catch(() => undefined);
      if (text === undefined) continue;
      beside++;
      await files.replace(
        `${out}/${name.replace(/\.jsonl$/, ending)}`,
        besideText(text, path, redactor),
      );
    }
  }
  const { hidden, kept } = redactor.counts;
  if (redactor.numbersLeft > 0) {
    host.say(`${redactor.numbersLeft} fractions of five digits or more were left as they are`);
  }
  host.say(
    `wrote ${logs.length} sessions and ${beside} logs beside them to ${out}: ${hidden} values hidden, ${kept} kept`,
  );
  return 0;
}

function besideText(text: string, path: string, redactor: Redactor): string {
  return text.split("\n").map((line, i) => {
    if (line.trim() === "") return line;
    try {
      return JSON.stringify(redactor.rewriteArguments(JSON.parse(line)));
    } catch {
      throw new Error(`Cannot read the log beside "${path}": line ${i + 1} is not JSON`);
    }
  }).join("\n");
}
