/**
 * Fitting an arbiter, for the commands that learn: what is asked, of whom, at what price.
 *
 * @module
 */

import { z } from "zod";
import { type Predicate, predicateSchema } from "../../flow/arbiter_file.ts";
import type { Flow } from "../../flow/flow.ts";
import { type ArbiterCase, arbiterCases } from "../../learn/arbiter_cases.ts";
import type { EpisodeSource } from "../../learn/episode_source.ts";
import { decisionLog } from "../../learn/decision_log.ts";
import { fitArbiter } from "../../learn/fit_arbiter.ts";
import type { LearnOptions } from "../../learn/learn_flow.ts";
import { askAll } from "../../oracle/ask_all.ts";
import { cacheKey } from "../../oracle/question.ts";
import { numberFlag, type Run, UsageError } from "../../cli/command.ts";
import type { Flag, FlagValues } from "../../flags/flags.ts";
import {
  type CommandOracle,
  openOracle,
  ORACLE_CACHE_FLAG,
  sayAsked,
} from "../flow/oracle_flags.ts";
import { parseJson } from "../../cli/parse_json.ts";
import { progressOn } from "../../cli/progress.ts";
import type { FileStore } from "../../ports/files.ts";
import type { OraclePorts } from "../flow/open_flow.ts";

/** The flags that say who is asked, shared by `hoist learn` and `hoist compile`. */
export const ASKING_FLAGS: readonly Flag[] = [
  {
    name: "oracle",
    value: "jev|replay|mock",
    help:
      "Who answers: System One after the cache, the cache alone, or a mock. Without it nobody " +
      "is asked and the flow has no arbiter.",
  },
  ORACLE_CACHE_FLAG,
  {
    name: "predicates",
    value: "FILE",
    help:
      "Further questions of yes or no to ask and weigh: a JSON array of {id, favors, question, " +
      "yes, no}.",
  },
  {
    name: "manifest-options",
    help:
      "Offer every read at every site, not only those that followed there; the oracle is asked " +
      "about all that can be made.",
  },
  {
    name: "dataflow-hints",
    help: "Tell the oracle of each lookup which arguments of writes its results gave most often.",
  },
];

/** The flag of the price. */
export function budgetFlag(dollars: number): Flag {
  return {
    name: "oracle-budget",
    value: "DOLLARS",
    help:
      `Refuse to ask when the questions that are not in the cache could cost more. Default: ${dollars}.`,
  };
}

/** What a reader of either command's help should know before asking. */
export const ASKING_NOTES: readonly string[] = [
  "With --oracle jev, parts of the recorded sessions are sent to the model: see docs/privacy.md.",
  "The key is read from TYPESAFE_API_KEY, or from the file that TYPESAFE_API_KEY_FILE names;\n" +
  "TYPESAFE_BASE_URL is another server of the same protocol.",
];

/** What only matters when somebody is asked, and what only when the live oracle is. */
const ASKING = [
  "oracle-cache",
  "oracle-model",
  "predicates",
  "manifest-options",
  "dataflow-hints",
  "candidates",
  "weigh",
  "no-predicate-features",
  "pooled-arbiter",
  "oracle-limit",
  "oracle-dump",
  "oracle-log",
];
const LIVE = ["oracle-budget", "oracle-concurrency"];

/** What a command line asks, and of whom. */
export interface Asking {
  readonly oracle: CommandOracle;
  readonly predicates: readonly Predicate[];
  readonly weighed: readonly Predicate[];
  readonly isPooled: boolean;
  /** US dollars. */
  readonly budget: number;
  /** Requests in flight. */
  readonly concurrency: number;
  /** Most decisions asked about; all without it. */
  readonly limit: number | undefined;
  /** Where the requests are written, and the decisions. */
  readonly dump: string | undefined;
  readonly log: string | undefined;
}

/**
 * Reads what a command line asks, and opens the oracle: a missing key is said before
 * anything is learned.
 *
 * @param run The command's run.
 * @param budget US dollars without a flag.
 * @returns What is asked; undefined without `--oracle`.
 * @throws {UsageError} When a flag would do nothing.
 */
export async function openAsking(
  run: Run<OraclePorts>,
  budget: number,
): Promise<Asking | undefined> {
  const { values, files } = run;
  const mode = values.get("oracle");
  const idle = [...(mode === undefined ? ASKING : []), ...(mode === "jev" ? [] : LIVE)]
    .find((name) => values.has(name));
  if (idle !== undefined) {
    throw new UsageError(`--${idle} needs --oracle${LIVE.includes(idle) ? " jev" : ""}`);
  }
  const dollars = numberFlag(values, "oracle-budget", { min: 0, max: 1e6 }) ?? budget;
  const concurrency = numberFlag(values, "oracle-concurrency", { min: 1, max: 64, whole: true }) ??
    8;
  const limit = numberFlag(values, "oracle-limit", { min: 1, max: 1e9, whole: true });
  if (mode === undefined) return undefined;
  return {
    ...await predicatesOf(values, files),
    oracle: await openOracle(run),
    isPooled: values.has("pooled-arbiter"),
    budget: dollars,
    concurrency,
    limit,
    dump: values.get("oracle-dump"),
    log: values.get("oracle-log"),
  };
}

/** What a command line wants to learn for the oracle's sake. */
export function askedOptions(values: FlagValues): Pick<LearnOptions, "everyRead" | "feeds"> {
  return {
    ...(values.has("manifest-options") ? { everyRead: true } : {}),
    ...(values.has("dataflow-hints") ? { feeds: true } : {}),
  };
}

/** What is asked, and what of it counts: predicates do, of the candidates those named. */
async function predicatesOf(
  values: FlagValues,
  files: FileStore,
): Promise<Pick<Asking, "predicates" | "weighed">> {
  const own = await readPredicates(values.get("predicates"), files);
  const candidates = await readPredicates(values.get("candidates"), files);
  const predicates = [...own, ...candidates];
  const twice = predicates.find((p, i) => predicates.findIndex((q) => q.id === p.id) < i);
  if (twice !== undefined) {
    throw new UsageError(`--predicates and --candidates both have "${twice.id}"`);
  }
  const named = new Set(values.all("weigh"));
  const unknown = [...named].find((id) => !candidates.some((p) => p.id === id));
  if (unknown !== undefined) throw new UsageError(`--weigh ${unknown}: no candidate has this id`);
  const isIgnored = values.has("no-predicate-features");
  if (isIgnored && named.size > 0) {
    throw new UsageError("--no-predicate-features and --weigh exclude each other");
  }
  const weighed = isIgnored ? [] : [...own, ...candidates.filter((p) => named.has(p.id))];
  return { predicates, weighed };
}

/**
 * Fits the arbiter of a flow.
 *
 * @param learned The flow, the episodes it was learned from, and how.
 * @param asking What is asked, and of whom.
 * @param run Where progress and figures are shown, requests and decisions written.
 * @returns The flow with its arbiter.
 * @throws {Error} When it could cost too much, before anything is asked; when nothing is answered.
 */
export async function withArbiter(
  { flow, source, options }: {
    readonly flow: Flow;
    readonly source: EpisodeSource;
    readonly options: LearnOptions;
  },
  asking: Asking,
  { runtime, files }: Run<OraclePorts>,
): Promise<Flow> {
  const { oracle, predicates, weighed, isPooled } = asking;
  const progress = progressOn(runtime);
  const all = await arbiterCases(source, {
    ...options,
    asking: { model: oracle.model, predicates },
    onFold: (fold) => progress.show(`held-out decisions: fold ${fold + 1} of 5`),
  });
  progress.clear();
  const cases = spread(all, asking.limit);
  if (asking.dump !== undefined) await files.replace(asking.dump, dumpOf(cases));
  const asked = await askAll(cases.map((c) => c.question.request), {
    ...oracle,
    budget: asking.budget,
    concurrency: asking.concurrency,
    onProgress: (done, of) => progress.show(`asking: ${done} of ${of}`),
  });
  progress.clear();
  sayAsked(asked, runtime);
  const responseTo = (c: ArbiterCase) => asked.responses.get(cacheKey(c.question.request));
  const fitted = fitArbiter(cases, responseTo, {
    model: oracle.model,
    predicates,
    weighed,
    isPooled,
  });
  const { arbiter } = fitted;
  if (asking.log !== undefined) {
    const lines = decisionLog(cases, responseTo, { domain: flow.manifest.domain, arbiter });
    await files.replace(asking.log, lines.map((line) => `${line}\n`).join(""));
  }
  runtime.say(
    `fitted on ${fitted.covered} of ${cases.length} held-out decisions; mean log-probability of the ` +
      `agent's step ${fitted.heldOut.toFixed(4)}, by the habit alone ${
        fitted.habitAlone.toFixed(4)
      }`,
  );
  return {
    ...flow,
    provenance: { ...flow.provenance, arbiter_cases: fitted.cases },
    arbiter,
  };
}

/** At most so many decisions, evenly from all folds. */
function spread(cases: readonly ArbiterCase[], limit: number | undefined): readonly ArbiterCase[] {
  if (limit === undefined || cases.length <= limit) return cases;
  return Array.from(
    { length: limit },
    (_, i) => cases[Math.floor(i * cases.length / limit)],
  ).filter((c) => c !== undefined);
}

/** Each distinct request, a line of JSON. */
function dumpOf(cases: readonly ArbiterCase[]): string {
  const requests = new Map(cases.map(({ question: { request } }) => [cacheKey(request), request]));
  return [...requests].map(([key, request]) => JSON.stringify({ key, request }) + "\n").join("");
}

async function readPredicates(
  path: string | undefined,
  files: FileStore,
): Promise<readonly Predicate[]> {
  if (path === undefined) return [];
  const wrong = (why: string) => new Error(`Cannot read "${path}": ${why}`);
  const json = parseJson(await files.readText(path), path);
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
