/**
 * The official conformance suite: the fixture alone, the same behind hoist-mcp
 * in each mode, and hoist-mcp as the client of the suite's own servers. Prints a
 * table; a scenario that passes alone must pass behind us.
 *
 * Usage: `deno task conformance`. Takes one to two minutes.
 *
 * @module
 */

import { executable, util } from "./executables.ts";

const SUITE = [
  Deno.execPath(),
  "run",
  "-A",
  "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12",
];
/** The requirements of each era. */
export const REQUIREMENTS = ["2025-11-25", "2026-07-28"];
const FIXTURE = util("conformance_server");

/** Client scenarios whose rules are the proxy's own; the others test OAuth. */
const CLIENT: Readonly<Record<string, readonly string[]>> = {
  "2025-11-25": [
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "json-schema-2020-12-preservation",
  ],
  "2026-07-28": [
    "tools_call",
    "request-metadata",
    "sep-2322-client-request-state",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
    "json-schema-2020-12-preservation",
  ],
};

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** Passed and failed checks by scenario. */
type Score = ReadonlyMap<string, { readonly passed: number; readonly failed: readonly Check[] }>;

/** A process that says a URL on its first line. */
export class Service implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly url: string;

  private constructor(child: Deno.ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** Starts it; `where` it says its URL. */
  static async start(
    command: readonly string[],
    where: "stdout" | "stderr" = "stdout",
  ): Promise<Service> {
    const [program = "", ...args] = command;
    const pipes = { stdin: "null", stdout: "null", stderr: "null", [where]: "piped" } as const;
    const child = new Deno.Command(program, { args, ...pipes }).spawn();
    let said = "";
    for await (const text of child[where].pipeThrough(new TextDecoderStream())) {
      said += text;
      if (said.includes("\n")) break;
    }
    return new Service(child, /http\S+/.exec(said)?.[0] ?? "");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#child.status;
  }
}

/** Runs the suite with these arguments; gives its checks by scenario. */
export async function suite(args: readonly string[]): Promise<Score> {
  const out = await Deno.makeTempDir();
  const [program = "", ...head] = SUITE;
  await new Deno.Command(program, {
    args: [...head, ...args, "-o", out],
    stdout: "null",
    stderr: "null",
  })
    .output();
  const score = new Map<string, { passed: number; failed: Check[] }>();
  for (const name of runsIn(out)) {
    const checks: Check[] = JSON.parse(await Deno.readTextFile(`${out}/${name}/checks.json`));
    const scenario = name.replace(/^server-(?=.)/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");
    score.set(scenario, {
      passed: checks.filter((c) => c.status === "SUCCESS").length,
      failed: checks.filter((c) => c.status === "FAILURE"),
    });
  }
  await Deno.remove(out, { recursive: true });
  return score;
}

/** The client scenarios that the suite lists, each with the revisions that it is for. */
export async function listedClientScenarios(): Promise<
  { readonly name: string; readonly versions: readonly string[] }[]
> {
  const [program = "", ...head] = SUITE;
  const args = [...head, "list", "--client"];
  const { stdout } = await new Deno.Command(program, { args, stderr: "null" }).output();
  const rows = new TextDecoder().decode(stdout).matchAll(/^ *- (\S+) \[([^\]]+)\]$/gm);
  return [...rows].map(([, name = "", versions = ""]) => ({ name, versions: versions.split(",") }));
}

/** The folders of single runs; a scenario with a slash in its name has one more around it. */
function runsIn(out: string): string[] {
  return [...Deno.readDirSync(out)].flatMap(({ name }) =>
    [...Deno.readDirSync(`${out}/${name}`)].some((entry) => entry.name === "checks.json")
      ? [name]
      : runsIn(`${out}/${name}`).map((run) => `${name}/${run}`)
  );
}

/** Passed and failed checks of all scenarios. */
export function total(score: Score): string {
  const values = [...score.values()];
  const passed = values.reduce((sum, v) => sum + v.passed, 0);
  return `${passed} / ${values.reduce((sum, v) => sum + v.failed.length, 0)}`;
}

/** Checks that fail here and not alone. */
export function worse(alone: Score, behind: Score): string[] {
  return [...alone].flatMap(([scenario, { failed }]) => {
    const here = behind.get(scenario);
    if (here === undefined) return [`${scenario}: did not run`];
    const known = new Set(failed.map((check) => check.id));
    return here.failed.filter((check) => !known.has(check.id)).map((check) =>
      `${scenario}: ${check.id}: ${check.errorMessage}`
    );
  });
}

async function servers(): Promise<string[]> {
  const faults: string[] = [];
  await using fixture = await Service.start([...FIXTURE, "http", "0"]);
  const listen = [...executable("hoist-mcp"), "--listen", "127.0.0.1:0"];
  await using overStdio = await Service.start([...listen, "--", ...FIXTURE, "stdio"]);
  await using overHttp = await Service.start([...listen, "--upstream", fixture.url]);
  const places = { alone: fixture, "--listen, stdio": overStdio, "--listen --upstream": overHttp };
  console.log("server (passed / failed)      " + REQUIREMENTS.join("      "));
  const alone = new Map<string, Score>();
  for (const [name, { url }] of Object.entries(places)) {
    const row = [];
    for (const requirements of REQUIREMENTS) {
      const score = await suite(["server", "--url", url, "--requirements", requirements]);
      if (name === "alone") alone.set(requirements, score);
      row.push(total(score).padEnd(16));
      const base = alone.get(requirements) ?? new Map();
      faults.push(...worse(base, score).map((fault) => `${name}: ${fault}`));
    }
    console.log(name.padEnd(30) + row.join(""));
  }
  // The tasks extension is not scored, and the fixture does not have it.
  for (const [requirements, score] of alone) {
    for (const [scenario, { failed }] of score) {
      if (scenario.startsWith("tasks-")) continue;
      faults.push(...failed.map((check) => `alone, ${requirements}: ${scenario}: ${check.id}`));
    }
  }
  return faults;
}

async function clients(): Promise<string[]> {
  const faults: string[] = [];
  const command = util("conformance_client").join(" ");
  console.log("\nclient, through hoist-mcp --upstream (passed / failed)");
  for (const [version, scenarios] of Object.entries(CLIENT)) {
    for (const scenario of scenarios) {
      const score = await suite(
        ["client", "--command", command, "--scenario", scenario, "--spec-version", version],
      );
      console.log(`${version} ${scenario}`.padEnd(54) + total(score));
      if (score.size === 0) faults.push(`${version} ${scenario}: did not run`);
      for (const { failed } of score.values()) {
        faults.push(...failed.map((c) => `${version} ${scenario}: ${c.id}: ${c.errorMessage}`));
      }
    }
  }
  return faults;
}

if (import.meta.main) {
  const faults = [...await servers(), ...await clients()];
  console.log(
    faults.length === 0 ? "\nnothing is lost behind hoist-mcp" : `\n${faults.join("\n")}`,
  );
  Deno.exit(faults.length === 0 ? 0 : 1);
}
