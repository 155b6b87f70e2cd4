/**
 * `hoist compile`: a flow, and its arbiter fitted on an oracle's answers.
 *
 * @module
 */

import { z } from "zod";
import { type Predicate, predicateSchema } from "../flow/arbiter_file.ts";
import type { Flow } from "../flow/flow.ts";
import { printFlow } from "../flow/print_flow.ts";
import type { Host } from "../host/host.ts";
import { arbiterCases } from "../learn/arbiter_cases.ts";
import { fitArbiter } from "../learn/fit_arbiter.ts";
import { askAll, type Asked } from "../oracle/ask_all.ts";
import { cacheKey } from "../oracle/question.ts";
import { needed, numberFlag, runCommand, UsageError } from "./command.ts";
import type { FlagTable, FlagValues } from "./flags.ts";
import {
  type Learned,
  learned,
  learnedWords,
  LEARNING_FLAGS,
  SAME_BYTES,
} from "./learn_command.ts";
import { type Answerers, openOracle, ORACLE_CACHE_FLAG, type OracleDoor } from "./oracle_flags.ts";
import { progressOn } from "./progress.ts";
import type { FileStore } from "./recordings.ts";
import { RECORDINGS_FLAGS } from "./recordings_flags.ts";
import { WORLD_FLAG } from "./world_flag.ts";

/** The table of `hoist compile`. */
export const COMPILE_FLAGS: FlagTable = {
  program: "hoist compile",
  summary: "Learns a flow and fits its arbiter on an oracle's answers at held-out decisions.",
  examples: [
    "hoist compile --sessions ~/.hoist/logs/orders --oracle replay --out orders.flow.json",
  ],
  usage: [
    "[OPTIONS] --oracle jev|replay|mock --tau2 DIR --domain NAME --out FILE",
    "[OPTIONS] --oracle jev|replay|mock --sessions DIR --out FILE",
  ],
  flags: [
    ...RECORDINGS_FLAGS,
    WORLD_FLAG,
    ...LEARNING_FLAGS,
    {
      name: "oracle",
      value: "jev|replay|mock",
      help:
        "Who answers: System One after the cache, the cache alone, or a mock. Without it nobody " +
        "is asked and the flow has no arbiter.",
    },
    ORACLE_CACHE_FLAG,
    {
      name: "oracle-budget",
      value: "DOLLARS",
      help: "Refuse to ask when what the cache does not know could cost more. Default: 5.",
    },
    { name: "oracle-concurrency", value: "N", help: "Requests in flight. Default: 8." },
    {
      name: "oracle-model",
      value: "NAME",
      help: "The model asked. Default: TYPESAFE_DEFAULT_MODEL, else jev-latest.",
    },
    {
      name: "predicates",
      value: "FILE",
      help:
        "Further questions of yes or no to ask and weigh: a JSON array of {id, favors, question, " +
        "yes, no}.",
    },
    { name: "out", value: "FILE", help: "The flow file to write, whole or not at all." },
  ],
  notes: [
    "With --oracle jev, parts of the recorded sessions are sent to the model: see docs/privacy.md.",
    "The key is read from TYPESAFE_API_KEY, or from the file that TYPESAFE_API_KEY_FILE names;\n" +
    "TYPESAFE_BASE_URL is another server of the same protocol.",
    SAME_BYTES + " So do the same answers.",
    "Exit status: 0 done; 1 something could not be read, asked, learned or written; 2 wrong usage.",
  ],
};

/** What only matters when somebody is asked, and what only when the live oracle is. */
const ASKING = ["oracle-cache", "oracle-model", "predicates"];
const LIVE = ["oracle-budget", "oracle-concurrency"];

/** What a command line works with besides its host. */
interface Tools {
  readonly files: FileStore;
  readonly door: OracleDoor;
}

/**
 * Runs `hoist compile`.
 *
 * @param args The arguments after the subcommand.
 * @param host Where to print.
 * @param files Where sessions and flows are.
 * @param door The way to the oracle.
 * @returns The exit status.
 */
export function compileCommand(
  args: readonly string[],
  host: Host,
  files: FileStore,
  door: OracleDoor,
): Promise<number> {
  return runCommand(COMPILE_FLAGS, args, host, (values) => compile(values, host, { files, door }));
}

async function compile(values: FlagValues, host: Host, { files, door }: Tools): Promise<number> {
  const out = needed(values, "out");
  const mode = values.get("oracle");
  const idle = [...(mode === undefined ? ASKING : []), ...(mode === "jev" ? [] : LIVE)]
    .find((name) => values.has(name));
  if (idle !== undefined) {
    throw new UsageError(`--${idle} needs --oracle${LIVE.includes(idle) ? " jev" : ""}`);
  }
  const budget = numberFlag(values, "oracle-budget", { min: 0, max: 1e6 }) ?? 5;
  const concurrency = numberFlag(values, "oracle-concurrency", { min: 1, max: 64, whole: true }) ??
    8;
  const predicates = await readPredicates(values.get("predicates"), files);
  // Before learning, which takes its time: a missing key is said at once.
  const oracle = mode === undefined ? undefined : await openOracle(values, host, door);
  const result = await learned(values, host, files);
  const flow = oracle === undefined
    ? result.flow
    : await withArbiter(result, host, { oracle, predicates, budget, concurrency });
  await files.replace(out, printFlow(flow));
  const asked = oracle === undefined
    ? "no oracle asked, so it has no arbiter (--oracle jev|replay|mock)"
    : `an arbiter of ${flow.provenance.arbiter_cases} decisions`;
  host.say(`${learnedWords(result)}, ${asked}, and wrote ${out}`);
  return 0;
}

interface Asking {
  readonly oracle: Answerers;
  readonly predicates: readonly Predicate[];
  readonly budget: number;
  readonly concurrency: number;
}

async function withArbiter(
  { flow, source, options }: Learned,
  host: Host,
  { oracle, predicates, budget, concurrency }: Asking,
): Promise<Flow> {
  const progress = progressOn(host);
  const asking = { model: oracle.model, predicates };
  const onFold = (fold: number) => progress.show(`held-out decisions: fold ${fold + 1} of 5`);
  const cases = await arbiterCases(source, { ...options, asking, onFold });
  progress.clear();
  const asked = await askAll(cases.map((c) => c.question.request), {
    ...oracle,
    budget,
    concurrency,
    onProgress: (done, all) => progress.show(`asking: ${done} of ${all}`),
  });
  progress.clear();
  sayAsked(asked, host);
  const fitted = fitArbiter(
    cases,
    (c) => asked.responses.get(cacheKey(c.question.request)),
    asking,
  );
  host.say(
    `fitted on ${fitted.covered} of ${cases.length} held-out decisions; mean log-probability of the ` +
      `agent's step ${fitted.heldOut.toFixed(4)}, by the habit alone ${
        fitted.habitAlone.toFixed(4)
      }`,
  );
  const provenance = { ...flow.provenance, arbiter_cases: fitted.cases };
  return { ...flow, provenance, arbiter: fitted.arbiter };
}

function sayAsked(asked: Asked, host: Host): void {
  const { responses, distinct, live, tokens, unavailable } = asked;
  const paid = live === 0 ? "" : `, ${live} of them asked now (${tokens} input tokens)`;
  host.say(`${responses.size} of ${distinct} questions answered${paid}`);
  for (const [reason, n] of [...unavailable].sort()) host.say(`${n} without an answer: ${reason}`);
}

async function readPredicates(
  path: string | undefined,
  files: FileStore,
): Promise<readonly Predicate[]> {
  if (path === undefined) return [];
  const wrong = (why: string, cause?: unknown) =>
    new Error(`Cannot read "${path}": ${why}`, { cause });
  let json: unknown;
  try {
    json = JSON.parse(await files.readText(path));
  } catch (error) {
    throw error instanceof SyntaxError ? wrong("it is not JSON", error) : error;
  }
  const parsed = z.array(predicateSchema).safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw wrong(`$${issue?.path.map((p) => `[${String(p)}]`).join("") ?? ""}: ${issue?.message}`);
  }
  if (new Set(parsed.data.map((p) => p.id)).size < parsed.data.length) {
    throw wrong("two predicates have the same id");
  }
  return parsed.data;
}
