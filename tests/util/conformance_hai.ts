/**
 * The official conformance suite against hai-mcp over HTTP: what it declares it must do, and what it
 * has not fails as written down here. Prints a row for each era.
 *
 * Usage: `deno task conformance:hai`.
 *
 * @module
 */

import { REQUIREMENTS, Service, suite, total } from "./conformance.ts";
import { executable } from "./executables.ts";

/** Scenarios that fail, by reason. Each is a regular expression over the scenario's name. */
const EXPECTED: readonly (readonly [why: string, scenarios: RegExp])[] = [
  ["hai-mcp has no prompts, resources, completions or log level", /^(?:prompts|resources)-/],
  ["hai-mcp has no prompts, resources, completions or log level", /^completion-|^logging-/],
  ["only prompts' and resources' lists are missed", /^caching$/],
  ["the suite's own tools are not among hai-mcp's", /^tools-call-(?!simple-text$|error$)/],
  ["the suite's own tools are not among hai-mcp's", /^json-schema-2020-12$|^server-sse-polling$/],
  ["the suite's own tools are not among hai-mcp's", /^http-custom-header-server-validation$/],
  ["one check needs a tool of the suite's own", /^server-stateless$/],
  ["hai-mcp asks its host nothing", /^elicitation-|^input-required-result-/],
  ["the tasks extension is not built", /^tasks-(?!status)/],
];
/** Of these scenarios some ask for nothing that hai-mcp lacks. */
const PASSES = new Set([
  "resources-not-found",
  "input-required-result-missing-input-response",
  "input-required-result-validate-input",
  "input-required-result-unsupported-methods",
  "input-required-result-ignore-extra-params",
]);
/** Checks of a scenario in which only some may fail. */
const PARTLY: Readonly<Record<string, RegExp>> = {
  "server-stateless": /missing-capability|undeclared-capability/,
  "caching": /prompts-list|resources-list|resources-templates-list/,
};

const home = await Deno.makeTempDir({ prefix: "hai-conformance-" });
Deno.env.set("HAI_HOME", `${home}/state`);
Deno.env.set("HAI_OWNER_HOME", `${home}/owner`);
const serve = ["--transport", "streamable-http", "--port", "0"];
const faults: string[] = [];
console.log("hai-mcp (passed / failed)");
{
  await using hai = await Service.start([...executable("hai-mcp"), ...serve], "stderr");
  for (const requirements of REQUIREMENTS) {
    const score = await suite(["server", "--url", hai.url, "--requirements", requirements]);
    console.log(requirements.padEnd(14) + total(score));
    if (score.size === 0) faults.push(`${requirements}: did not run`);
    for (const [scenario, { failed }] of score) {
      const isExpected = !PASSES.has(scenario) &&
        EXPECTED.some(([, names]) => names.test(scenario));
      const wrong = failed.filter(({ id }) => !isExpected || !(PARTLY[scenario] ?? /^/).test(id));
      faults.push(...wrong.map(({ id }) => `${requirements}: ${scenario}: ${id} fails`));
      if (isExpected && failed.length === 0) {
        faults.push(`${requirements}: ${scenario} passes, and is expected to fail`);
      }
    }
  }
}
await Deno.remove(home, { recursive: true });
console.log(faults.length === 0 ? "all as written down" : faults.join("\n"));
Deno.exit(faults.length === 0 ? 0 : 1);
