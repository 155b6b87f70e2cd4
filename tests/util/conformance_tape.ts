/**
 * The official conformance suite against a recording of itself: it is recorded with the fixture, then
 * `hoist serve` answers it, with no server there. Prints a row for each era.
 *
 * Usage: `deno task conformance:tape`. Takes about a minute and a half.
 *
 * @module
 */

import { REQUIREMENTS, Service, suite, total, worse } from "./conformance.ts";
import { executable, util } from "./executables.ts";

const LISTEN = ["--listen", "127.0.0.1:0"];
const dir = await Deno.makeTempDir({ prefix: "hoist-tape-" });
const faults: string[] = [];
console.log("requirements (passed / failed)  recorded        served");
for (const requirements of REQUIREMENTS) {
  const logs = `${dir}/${requirements}`;
  const against = ({ url }: Service) =>
    suite(["server", "--url", url, "--requirements", requirements]);
  const fixture = [...util("conformance_server"), "stdio"];
  const recorder = [...executable("hoist-mcp"), ...LISTEN, "--record", logs, "--", ...fixture];
  await using recording = await Service.start(recorder);
  const recorded = await against(recording);
  const player = [...executable("hoist"), "serve", "--again", ...LISTEN, logs];
  await using tape = await Service.start(player);
  const served = await against(tape);
  console.log([requirements, total(recorded), total(served)].map((w) => w.padEnd(16)).join("  "));
  faults.push(...worse(recorded, served));
  for (const [scenario, { passed }] of recorded) {
    const now = served.get(scenario)?.passed ?? 0;
    if (now < passed) console.log(`  ${scenario}: ${now} of ${passed} checks passed`);
  }
}
await Deno.remove(dir, { recursive: true });
if (faults.length > 0) console.log(`\n${faults.join("\n")}`);
Deno.exit(faults.length === 0 ? 0 : 1);
