/**
 * The authorization scenarios of the official conformance suite, with `hoist auth` and
 * `hoist-mcp --upstream` as the client: all that the suite lists, under each revision that it
 * lists them for. Prints a row for each run.
 *
 * Usage: `deno task conformance:auth [SCENARIO…]`.
 *
 * @module
 */

import { listedClientScenarios, suite, total } from "./conformance.ts";
import { util } from "./executables.ts";

/** What is not built, and why its scenarios fail. One that passes has to leave this table. */
const EXPECTED_FAILURES: Readonly<Record<string, string>> = {
  "auth/client-credentials-jwt": "a client that proves itself by JWT",
  "auth/dpop": "tokens that are bound to a key",
  "auth/dpop-nonce": "tokens that are bound to a key",
  "auth/enterprise-managed-authorization": "sign-in that an enterprise manages",
  "auth/wif-jwt-bearer": "a workload that proves itself by JWT",
};
/** The revision under which extensions are run. */
const OF_EXTENSIONS = "2025-11-25";

const command = util("conformance_auth_client").join(" ");
const faults: string[] = [];
const counts = { runs: 0, passed: 0, expected: 0 };

async function run(scenario: string, version: string): Promise<void> {
  const args = ["client", "--command", command, "--scenario", scenario];
  const score = await suite([...args, "--force", "--spec-version", version]);
  const where = `${version} ${scenario}`;
  const failed = [...score.values()].flatMap((one) => one.failed);
  const hasPassed = score.size > 0 && failed.length === 0;
  const why = EXPECTED_FAILURES[scenario];
  counts.runs++;
  if (hasPassed) counts.passed++;
  console.log(where.padEnd(56) + total(score) + (why === undefined ? "" : `  expected: ${why}`));
  if (why !== undefined) {
    if (hasPassed) faults.push(`${where}: passes, but is expected to fail`);
    else counts.expected++;
  } else if (score.size === 0) faults.push(`${where}: did not run`);
  faults.push(
    ...(why === undefined ? failed : []).map((c) => `${where}: ${c.id}: ${c.errorMessage}`),
  );
}

const listed = (await listedClientScenarios()).filter(({ name }) => name.startsWith("auth/"));
if (listed.length === 0) faults.push("the suite lists no scenario of authorization");
for (const { name, versions } of listed) {
  if (Deno.args.length > 0 && !Deno.args.includes(name.slice("auth/".length))) continue;
  for (const version of versions) {
    await run(name, version === "extension" ? OF_EXTENSIONS : version);
  }
}
console.log(`\n${counts.runs} runs: ${counts.passed} pass, ${counts.expected} fail as expected`);
if (faults.length > 0) console.log(faults.join("\n"));
Deno.exit(faults.length === 0 ? 0 : 1);
