/**
 * The shipped rules on the τ²-bench recordings: the bounds they are held to, the
 * figures that docs/results_guards.md prints, and the policy sentences they cite.
 *
 * The recordings stand beside the repository; without them these tests say so and skip.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openRecordings } from "../lib/commands/sessions/recordings.ts";
import { diskFiles } from "../lib/disk/file_store.ts";
import { readText } from "../lib/disk/read_text.ts";
import { GuardTally } from "../lib/guard/report/guard_tally.ts";
import { shippedRules } from "../lib/guard/rules/shipped_rules.ts";
import { checkEpisode } from "../lib/guard/report/check_episode.ts";
import { ROOT } from "./util/executables.ts";

const DATA = `${ROOT}/../shared/data/tau2`;
const isThere = await Deno.stat(DATA).then(() => true, () => false);
if (!isThere) console.warn("skipped: the recordings are not at ../shared/data/tau2");

async function tallyOf(domain: string): Promise<GuardTally> {
  const rules = shippedRules(domain);
  assert(rules !== undefined);
  const request = {
    sessions: undefined,
    results: [],
    tau2: DATA,
    domain,
    skipAgents: ["gpt-oss-120b"],
    agents: [],
    split: undefined,
    splitPart: undefined,
    manifest: undefined,
    rewards: undefined,
  };
  const tally = new GuardTally(rules);
  for await (const episode of (await openRecordings(request, diskFiles)).source.each()) {
    tally.add(checkEpisode(rules, episode));
  }
  return tally;
}

for (
  const { domain, successful, maxStopped, minCaught } of [
    { domain: "retail", successful: 538, maxStopped: 0.008, minCaught: 0.85 },
    { domain: "airline", successful: 301, maxStopped: 0.007, minCaught: 0.70 },
  ]
) {
  Deno.test({
    name: `the ${domain} rules keep their bounds, and docs/results_guards.md says what they did`,
    ignore: !isThere,
    fn: async () => {
      const tally = await tallyOf(domain);
      const { stopped, sessions, guarded, caughtFirst } = tally;
      assertEquals(sessions.successful, successful);
      assert(stopped.successful / successful <= maxStopped, `${stopped.successful}`);
      assert(caughtFirst / guarded.refusedByTool >= minCaught, `${caughtFirst}`);
      assertEquals([...tally.faults], []);
      const page = await readText(`${ROOT}/docs/results_guards.md`);
      const share = (part: number, all: number, digits: number) =>
        (100 * part / all).toFixed(digits);
      for (
        const text of [
          `${stopped.successful} (${share(stopped.successful, successful, 2)} %)`,
          `${stopped.failed} of ${sessions.failed} (${
            share(stopped.failed, sessions.failed, 1)
          } %)`,
          `${caughtFirst} (${share(caughtFirst, guarded.refusedByTool, 1)} %)`,
          ...tally.wrongRefusals.map((e) => `\`${e.session}\` turn ${e.turn}, \`${e.tool}\``),
          ...tally.wrongRefusals.map((e) => e.rules),
        ]
      ) assertStringIncludes(page, text);
    },
  });

  Deno.test({
    name: `every ${domain} rule cites a sentence that stands in the policy under its number`,
    ignore: !isThere,
    fn: async () => {
      const sentences = (await readText(`${DATA}/policy/${domain}-policy.md`)).split("\n")
        .map((line) => line.trim().replace(/^-\s*/, ""))
        .filter((line) => line !== "" && !line.startsWith("#"))
        .flatMap((line) => line.split(/(?<=[.!?])\s+(?=[A-Z(])/));
      const faults = (shippedRules(domain)?.rules ?? []).flatMap(({ id, cases }) =>
        cases.flatMap(({ policy = "" }) => {
          const [, number, quote = "?"] = /^(\d+): (.+)$/.exec(policy) ?? [];
          return sentences[Number(number) - 1]?.includes(quote) === true
            ? []
            : [`${id}: ${policy}`];
        })
      );
      assertEquals(faults, []);
    },
  });
}
