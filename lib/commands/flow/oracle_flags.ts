/**
 * The flags that choose an oracle, and how they are read.
 *
 * @module
 */

import type { Runtime } from "../../ports/runtime.ts";
import type { Asked } from "../../oracle/ask_all.ts";
import { priceOf } from "../../oracle/budget.ts";
import { mockOracle } from "../../oracle/mock.ts";
import type { KnownAnswers, Oracle } from "../../oracle/oracle.ts";
import { DEFAULT_MODEL, MOCK_MODEL } from "../../oracle/question.ts";
import { cachedOracle, replayOracle } from "../../oracle/replay.ts";
import { type Run, UsageError } from "../../cli/command.ts";
import { expandHome } from "../../flags/expand_home.ts";
import type { Flag, FlagValues } from "../../flags/flags.ts";
import type { OracleDoor } from "../../ports/oracle_door.ts";

type OracleRun = Run<{ readonly door: OracleDoor }>;

/** The default cache of every program. */
const DEFAULT_CACHE = "~/.hoist/oracle-cache";

/** The flag of the answer cache. */
export const ORACLE_CACHE_FLAG: Flag = {
  name: "oracle-cache",
  value: "DIR",
  help: `Cache of the oracle's answers, by the hash of the question. Default: ${DEFAULT_CACHE}.`,
};

/** The oracle of a command. */
export interface CommandOracle {
  readonly known: KnownAnswers;
  /** Answers what the cache does not know; absent without a live oracle. */
  readonly live?: Oracle;
  /** The model's name in questions. */
  readonly model: string;
}

/**
 * Opens the answers that are known already.
 *
 * @param run The command's run; `--oracle` replay or mock, by default replay.
 * @returns The answers.
 */
export function knownAnswers({ values, runtime, door }: OracleRun): KnownAnswers {
  const mode = values.get("oracle") ?? "replay";
  if (mode !== "replay" && mode !== "mock") {
    throw new UsageError(`--oracle needs replay or mock, not "${mode}"`);
  }
  if (mode === "replay") return replayOracle(door.openCache(cacheDir(values, runtime)));
  return mockOracle();
}

/**
 * Opens the oracle that `--oracle` names.
 *
 * @param run The command's run.
 * @param usual What `--oracle` is where it is not given.
 * @returns The oracle.
 */
export async function openOracle(
  { values, runtime, door }: OracleRun,
  usual = "",
): Promise<CommandOracle> {
  const mode = values.get("oracle") ?? usual;
  if (!["jev", "replay", "mock"].includes(mode)) {
    throw new UsageError(`--oracle needs jev, replay or mock, not "${mode}"`);
  }
  const given = values.get("oracle-model");
  if (mode === "mock") {
    if (given !== undefined) {
      throw new UsageError("--oracle mock and --oracle-model exclude each other");
    }
    return { known: mockOracle(), model: MOCK_MODEL };
  }
  const model = given ?? (runtime.env("TYPESAFE_DEFAULT_MODEL")?.trim() || DEFAULT_MODEL);
  const store = door.openCache(cacheDir(values, runtime));
  const known = replayOracle(store);
  if (mode === "replay") return { known, model };
  return { known, model, live: cachedOracle(store, await door.openLive(), runtime) };
}

function cacheDir(values: FlagValues, runtime: Runtime): string {
  const given = values.get("oracle-cache") ?? DEFAULT_CACHE;
  const dir = expandHome(given, runtime.env("HOME") ?? runtime.env("USERPROFILE"));
  if (dir === null) throw new UsageError(`--oracle-cache ${given}: HOME is not set`);
  return dir;
}

/** Says what was answered, what it cost, and why the rest was not. */
export function sayAsked(asked: Asked, runtime: Runtime): void {
  const { responses, distinct, live, tokens, unavailable } = asked;
  const paid = live === 0
    ? ""
    : `, ${live} of them asked now (${tokens} input tokens, $${priceOf(tokens).toFixed(4)})`;
  runtime.say(`${responses.size} of ${distinct} questions answered${paid}`);
  for (const [reason, n] of [...unavailable].sort()) {
    runtime.say(`${n} without an answer: ${reason}`);
  }
}
