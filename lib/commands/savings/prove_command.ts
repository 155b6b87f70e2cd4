/**
 * `hoist prove`: what a flow and guards would have done in a user's own sessions, on one page.
 *
 * @module
 */

import { commandOf, type Run, UsageError } from "../../cli/command.ts";
import { progressOn } from "../../cli/progress.ts";
import { writeReport } from "../../cli/write_report.ts";
import { type FlagTable, flagWords } from "../../flags/flags.ts";
import { VERSION } from "../../flags/version.ts";
import { callKey } from "../../flow/state/call_key.ts";
import { lenientParser } from "../../flow/state/lenient.ts";
import { resultReader } from "../../flow/state/read_result.ts";
import { Guards } from "../../guard/report/guards.ts";
import { HOST_BUDGETS, UNKNOWN_HOST } from "../../intercept/flow/appendix/host_budgets.ts";
import { heldOutReplays } from "../../learn/held_out.ts";
import { DETOUR_COST } from "../../learn/pick_threshold.ts";
import type { FileStore } from "../../ports/files.ts";
import { shellLine } from "../../proxy_options/permissions.ts";
import { fullBound } from "../../replay/bound.ts";
import type { EpisodeReplay } from "../../replay/replay_episode.ts";
import { ReplaySummary } from "../../replay/summary.ts";
import {
  FEWEST_SESSIONS,
  proofHtml,
  proofMarkdown,
  type SavingsProof,
} from "../../savings/prove_report.ts";
import type { Episode } from "../../trace/episode.ts";
import { recordingsOf } from "../sessions/recordings.ts";
import { SAME_TURN_FLAG, sameTurnMs } from "../sessions/same_turn_flag.ts";

/** The table of `hoist prove`. */
export const PROVE_FLAGS: FlagTable = {
  program: "hoist prove",
  summary: "Shows what a flow would have saved in your own sessions, and what it would have cost.",
  examples: ["hoist prove ~/.hoist/logs/orders"],
  usage: ["[OPTIONS] DIR"],
  flags: [
    { name: "domain", value: "NAME", help: "Only sessions of this domain." },
    {
      name: "rewards",
      value: "FILE",
      help: "Which sessions solved their task, as for hoist learn.",
    },
    { name: "guards", value: "FILE", help: "Rules: what they would have refused." },
    SAME_TURN_FLAG,
    { name: "out", value: "FILE", help: "Write the report there instead of on stdout." },
    { name: "html", value: "FILE", help: "Also write it as one self-contained page." },
    { name: "json", value: "FILE", help: "Also write the numbers behind it." },
  ],
  positionals: ["DIR"],
  notes: [
    "Each session is replayed under a flow that was learned from the others. Nothing is sent anywhere,\n" +
    "and no tool is called. Where there is nothing to gain it says so.",
    "Exit status: 0 done; 1 something could not be read or written; 2 wrong usage.",
  ],
};

/** Runs `hoist prove`. */
export const proveCommand = commandOf(PROVE_FLAGS, prove);

async function prove(run: Run<{ readonly files: FileStore }>): Promise<number> {
  const { values, files } = run;
  const [dir] = values.positionals;
  if (dir === undefined) throw new UsageError("Missing argument: a folder of session logs");
  const { source, manifest } = await recordingsOf({
    sessions: dir,
    results: [],
    tau2: undefined,
    domain: values.get("domain"),
    skipAgents: [],
    agents: [],
    split: undefined,
    splitPart: undefined,
    manifest: undefined,
    rewards: values.get("rewards"),
    sameTurnMs: sameTurnMs(values),
  }, run);
  const all = await Array.fromAsync(source.each());
  const episodes = all.filter(({ calls }) => calls.length > 0);
  const read = resultReader(await lenientParser());
  const replays = episodes.length < FEWEST_SESSIONS ? [] : await heldOut(episodes, run, {
    manifest,
    read,
    provenance: { hoist: VERSION, compiled_unix_ms: 0 },
  });
  const rules = values.get("guards");
  const guards = rules === undefined
    ? undefined
    : guarded(rules, await Guards.parse(await files.readText(rules), rules), episodes);
  const bound = (episode: Episode) => fullBound(episode, manifest, read);
  const proof: SavingsProof = {
    dir,
    sessions: episodes.length,
    empty: all.length - episodes.length,
    turns: episodes.reduce((sum, { turns }) => sum + turns, 0),
    bound: episodes.reduce((sum, episode) => sum + bound(episode), 0),
    flow: flowFigures(replays, bound),
    lookups: usedLookups(replays),
    guards,
    commands: commandsFor(dir, values.get("domain"), values.get("rewards")),
  };
  await writeReport({ text: proofMarkdown(proof), json: proof, html: () => proofHtml(proof) }, run);
  return 0;
}

async function heldOut(
  episodes: readonly Episode[],
  { runtime }: Pick<Run<unknown>, "runtime">,
  options: Parameters<typeof heldOutReplays>[1],
): Promise<EpisodeReplay[]> {
  const progress = progressOn(runtime);
  const replays = await heldOutReplays(
    episodes,
    options,
    (fold, of) =>
      progress.show(`learning from ${episodes.length} sessions, part ${fold + 1} of ${of}`),
  );
  progress.clear();
  return replays;
}

function flowFigures(
  replays: readonly EpisodeReplay[],
  bound: (episode: Episode) => number,
): SavingsProof["flow"] {
  if (replays.length === 0) return undefined;
  const summary = new ReplaySummary();
  for (const replay of replays) summary.add(replay, bound(replay.episode));
  return {
    saved: summary.savedShare(),
    detours: summary.detoursAnEpisode(),
    net: summary.total("saved") - DETOUR_COST * summary.total("detours"),
  };
}

/** The lookups that agents made themselves later, with the lengths of their results. */
function usedLookups(replays: readonly EpisodeReplay[]): SavingsProof["lookups"] {
  const most = Math.max(...HOST_BUDGETS.map(({ limit }) => limit));
  const found = new Map<
    string,
    { used: number; tooLongForUnknown: number; tooLongForAll: number }
  >();
  for (const { episode, lookups } of replays) {
    const lengths = new Map(
      episode.calls.map((call) => [
        callKey(call.name, call.arguments),
        call.answer?.content.length ?? 0,
      ]),
    );
    for (const { tool, key, fate } of lookups) {
      if (fate !== "used") continue;
      const row = found.get(tool) ?? { used: 0, tooLongForUnknown: 0, tooLongForAll: 0 };
      found.set(tool, row);
      const length = lengths.get(key) ?? 0;
      row.used++;
      if (length > UNKNOWN_HOST.limit) row.tooLongForUnknown++;
      if (length > most) row.tooLongForAll++;
    }
  }
  return [...found].map(([tool, row]) => ({ tool, ...row }))
    .sort((a, b) => b.used - a.used || (a.tool < b.tool ? -1 : 1));
}

function guarded(
  rules: string,
  guards: Guards,
  episodes: readonly Episode[],
): SavingsProof["guards"] {
  const refused = new Map<string, number>();
  let calls = 0;
  for (const episode of episodes) {
    for (const { verdicts } of guards.checkEpisode(episode)) {
      calls++;
      for (const { rule, verdict } of verdicts) {
        if (verdict === "refuse") refused.set(rule, (refused.get(rule) ?? 0) + 1);
      }
    }
  }
  const rows = [...refused].map(([rule, calls]) => ({ rule, calls }));
  return { rules, calls, refused: rows.sort((a, b) => b.calls - a.calls) };
}

function commandsFor(
  dir: string,
  domain: string | undefined,
  rewards: string | undefined,
): string[] {
  const given = [
    ...(domain === undefined ? [] : flagWords("domain", domain)),
    ...(rewards === undefined ? [] : flagWords("rewards", rewards)),
  ];
  return [
    shellLine(["hoist", "learn", ...flagWords("sessions", dir), ...given, "--out", "flow.json"]),
    `${
      shellLine([
        "hoist-mcp",
        ...flagWords("record", dir),
        "--flow",
        "flow.json",
        "--flow-holdout",
        "0.2",
      ])
    } -- SERVER`,
    shellLine(["hoist", "savings", dir]),
  ];
}
