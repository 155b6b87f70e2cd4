/**
 * `hoist confirm`: tests the confirmation judge on recorded writes.
 *
 * @module
 */

import {
  agreementQuestion,
  SECOND_QUESTIONS,
  type SecondQuestion,
  secondQuestion,
} from "../../guard/judge/confirm_question.ts";
import {
  confirmJson,
  confirmMarkdown,
  type ConfirmSection,
} from "../../guard/report/confirm_report.ts";
import { ConfirmTally } from "../../guard/report/confirm_tally.ts";
import type { JudgeRule } from "../../guard/judge/judge_verdict.ts";
import {
  type EpisodeWrites,
  episodeWrites,
  type JudgedWrite,
} from "../../guard/report/episode_writes.ts";
import { askAll } from "../../oracle/ask_all.ts";
import { cacheKey, type OracleRequest } from "../../oracle/question.ts";
import { commandOf, numberFlag, type Run, UsageError } from "../../cli/command.ts";
import type { FlagTable, FlagValues } from "../../flags/flags.ts";
import { GUARD_TASK_FLAGS, guardTasks } from "./guard_tasks.ts";
import { openOracle, ORACLE_CACHE_FLAG, sayAsked } from "../flow/oracle_flags.ts";
import { progressOn } from "../../cli/progress.ts";
import { recordingsOf } from "../sessions/recordings.ts";
import type { FileStore } from "../../ports/files.ts";
import type { OraclePorts } from "../flow/open_flow.ts";
import { writeReport } from "../../cli/write_report.ts";

/** The table of `hoist confirm`. */
export const CONFIRM_FLAGS: FlagTable = {
  program: "hoist confirm",
  summary: "Tests the confirmation judge against recorded writes: what it would refuse.",
  examples: ["hoist confirm --sessions ~/.hoist/logs/retail --domain retail --oracle jev"],
  usage: [
    "[OPTIONS] --sessions DIR [--rewards FILE]",
    "[OPTIONS] --tau2 DIR",
    "[OPTIONS] --results FILE...",
  ],
  flags: [
    ...GUARD_TASK_FLAGS,
    {
      name: "oracle",
      value: "jev|replay|mock",
      help:
        "The oracle: jev (the cache, then System One), replay (the cache alone) or a mock. Default: replay.",
    },
    ORACLE_CACHE_FLAG,
    {
      name: "oracle-budget",
      value: "DOLLARS",
      help:
        "Refuse to ask when the questions that are not in the cache could cost more. Default: 2.",
    },
    { name: "oracle-concurrency", value: "N", help: "Requests in flight. Default: 8." },
    {
      name: "oracle-model",
      value: "NAME",
      help: "The model asked. Default: TYPESAFE_DEFAULT_MODEL, else jev-latest.",
    },
    {
      name: "oracle-dump",
      value: "FILE",
      help: "Also write every question with its key, one a line. The file holds customers' words.",
    },
    { name: "threshold", value: "P", help: "A write fails below this. Default: 0.5." },
    {
      name: "second-question",
      value: "proposed|described",
      help: "Also ask whether the agent proposed the change, or described each of its values.",
    },
    {
      name: "second-shadow",
      help: "Report the second answer, but judge by the first alone.",
    },
    { name: "examples", value: "N", help: "Disagreements shown of each kind. Default: 8." },
    { name: "out", value: "FILE", help: "Write the report there instead of on stdout." },
    { name: "json", value: "FILE", help: "Also write the numbers behind it." },
  ],
  notes: [
    "Sessions need the conversation (hoist-mcp --context); writes without it are skipped and counted.",
    "With --oracle jev, the conversation before each write is sent to the model: see docs/privacy.md.\n" +
    "The questions are those of hoist-mcp --confirm-judge, which takes the answers from the same cache.",
    "Exit status: 0 done; 1 something could not be read, asked or written; 2 wrong usage.",
  ],
};

/** Flags of the live oracle alone. */
const LIVE = ["oracle-budget", "oracle-concurrency"];

/** Runs `hoist confirm`. */
export const confirmCommand = commandOf(CONFIRM_FLAGS, confirm);

/** A domain's sessions with their writes. */
interface Found {
  readonly domain: string;
  readonly rules: string;
  readonly episodes: readonly EpisodeWrites[];
}

async function confirm(run: Run<OraclePorts>): Promise<number> {
  const { values, runtime, files } = run;
  const rule = ruleOf(values);
  const examples = numberFlag(values, "examples", { min: 0, max: 1000, whole: true }) ?? 8;
  const budget = numberFlag(values, "oracle-budget", { min: 0, max: 1e6 }) ?? 2;
  const concurrency = numberFlag(values, "oracle-concurrency", { min: 1, max: 64, whole: true }) ??
    8;
  const idle = LIVE.find((name) => values.has(name));
  if (idle !== undefined && values.get("oracle") !== "jev") {
    throw new UsageError(`--${idle} needs --oracle jev`);
  }
  const oracle = await openOracle(run, "replay");
  const found = await findWrites(run);
  const questions = (write: JudgedWrite) => questionsOf(oracle.model, write, rule);
  const requests = found.flatMap(({ episodes }) =>
    episodes.flatMap(({ writes }) => writes.flatMap(questions))
  );
  await dump(values.get("oracle-dump"), requests, files);
  const progress = progressOn(runtime);
  const asked = await askAll(requests, {
    ...oracle,
    budget,
    concurrency,
    onProgress: (done, all) => progress.show(`asking: ${done} of ${all}`),
  });
  progress.clear();
  sayAsked(asked, runtime);
  const pOf = (request: OracleRequest | undefined) => {
    if (request === undefined) return null;
    const [answer] = Object.values(asked.responses.get(cacheKey(request))?.answers ?? {});
    return answer?.type === "noul" ? answer.noul : null;
  };
  const sections = found.map(({ domain, rules, episodes }): ConfirmSection => {
    const answersOf = (write: JudgedWrite) => {
      const [first, second] = questions(write).map(pOf);
      return { first: first ?? null, second: second ?? null };
    };
    const tally = new ConfirmTally({ rule, examples, answersOf });
    for (const episode of episodes) tally.add(episode);
    return { domain, rules, tally };
  });
  const title = { model: oracle.model, rule };
  await writeReport({
    text: confirmMarkdown(sections, title),
    json: confirmJson(sections, title),
  }, run);
  return 0;
}

function ruleOf(values: FlagValues): JudgeRule {
  const threshold = numberFlag(values, "threshold", { min: 0, max: 1 }) ?? 0.5;
  const given = values.get("second-question");
  const isShadow = values.has("second-shadow");
  if (given === undefined) {
    if (isShadow) throw new UsageError("--second-shadow needs --second-question");
    return { threshold };
  }
  if (!isWording(given)) {
    throw new UsageError(`--second-question needs proposed or described, not "${given}"`);
  }
  return { threshold, second: { wording: given, isShadow } };
}

/** Whether a text names a wording of the second question. */
function isWording(text: string): text is SecondQuestion {
  return SECOND_QUESTIONS.some((wording) => wording === text);
}

async function findWrites(run: Run<OraclePorts>): Promise<Found[]> {
  const { values, runtime, files } = run;
  const found: Found[] = [];
  const progress = progressOn(runtime);
  let sessions = 0;
  for (const task of await guardTasks(values, files)) {
    const recordings = await recordingsOf(task.request, run);
    const { domain } = recordings.manifest;
    const rules = task.rulesFor(domain);
    if (!rules.rules.some(({ id }) => id.endsWith(".confirmed"))) {
      throw new Error(
        `Cannot judge: no rule of ${task.source} ends in ".confirmed", which says what is confirmed`,
      );
    }
    const episodes: EpisodeWrites[] = [];
    for await (const episode of recordings.source.each()) {
      episodes.push(episodeWrites(rules, episode));
      progress.show(`reading ${++sessions}`);
    }
    progress.clear();
    if (episodes.length > 0) {
      found.push({ domain: domain || (rules.domain ?? ""), rules: task.source, episodes });
    }
  }
  if (sessions === 0) throw new Error("Cannot judge: no session is left");
  return found;
}

function questionsOf(model: string, { write }: JudgedWrite, { second }: JudgeRule) {
  const first = agreementQuestion(model, write);
  return second === undefined ? [first] : [first, secondQuestion(model, write, second.wording)];
}

async function dump(
  path: string | undefined,
  requests: readonly OracleRequest[],
  files: FileStore,
): Promise<void> {
  if (path === undefined) return;
  const byKey = new Map(requests.map((request) => [cacheKey(request), request]));
  const lines = [...byKey].map(([key, request]) => JSON.stringify({ key, request }) + "\n");
  await files.replace(path, lines.join(""));
}
