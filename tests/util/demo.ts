/**
 * `deno task demo`: records three sessions through hoist-mcp and shows them.
 *
 * Nothing is simulated but the agent: the proxy, the servers and the client are
 * real programs, started as an MCP host starts them.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { main as hoist } from "../../cmd/hoist.ts";
import { expandHome } from "../../lib/flags/expand_home.ts";
import { type FlagTable, parseFlags } from "../../lib/flags/flags.ts";
import { VERSION } from "../../lib/flags/version.ts";
import { listLogs } from "../../lib/disk/read_log.ts";
import { denoRuntime } from "../../lib/runtime/deno_runtime.ts";
import { EVERYTHING, everythingFeatures } from "./client_features.ts";
import { FeatureTour } from "./feature_tour.ts";

const FLAGS: FlagTable = {
  program: "deno task demo",
  summary: "Records three real sessions and shows them.",
  usage: ["[--record DIR]"],
  flags: [{ name: "record", value: "DIR", help: "Where to keep the logs. Default: a new folder." }],
};

/** How long our agent thinks between turns: longer than calls of one turn are apart. */
const THINKING_MS = 700;

const runtime = denoRuntime("demo");

if (import.meta.main) Deno.exit(await demo(Deno.args));

async function demo(args: readonly string[]): Promise<number> {
  const parsed = parseFlags(FLAGS, args, VERSION);
  if (parsed.kind === "text") {
    runtime.print(parsed.text);
    return 0;
  }
  if (parsed.kind === "refused") {
    for (const line of parsed.message.split("\n")) runtime.say(line);
    return 2;
  }
  const given = parsed.values.get("record");
  const dir = given === undefined
    ? await Deno.makeTempDir({ prefix: "hoist-demo-" })
    : expandHome(given, runtime.env("HOME") ?? runtime.env("USERPROFILE")) ?? given;
  await record(dir);
  return await show(dir);
}

async function record(dir: string): Promise<void> {
  runtime.say("1 of 3: a customer's order, through hoist-mcp to hoist-mcp-demo --world retail");
  await cancelAnOrder(proxied(dir, "retail", demoServer("--world", "retail")));
  runtime.say("2 of 3: parallel and failing calls, through hoist-mcp to hoist-mcp-demo");
  await callInParallel(proxied(dir, "echo", demoServer()));
  runtime.say("3 of 3: every feature of MCP's reference server, server-everything");
  await download(EVERYTHING.find((arg) => arg.startsWith("npm:")) ?? "");
  const tour = { tasks: false, environment: false, stderr: "inherit" } as const;
  await everythingFeatures(proxied(dir, "everything", EVERYTHING), tour);
}

async function cancelAnOrder(argv: readonly string[]): Promise<void> {
  const agent = new FeatureTour(argv, [], { name: "demo-agent", options: { stderr: "inherit" } });
  await agent.connect();
  await agent.ask("tools/list", { method: "tools/list" });
  await agent.call("find_user_id_by_email", { email: "c7@example.com" });
  await think();
  await agent.call("get_user_details", { user_id: "user_7" });
  await think();
  await Promise.all(
    ["#W7a", "#W7b"].map((order_id) => agent.call("get_order_details", { order_id })),
  );
  await think();
  await agent.call("cancel_pending_order", { order_id: "#W7b", reason: "no longer needed" });
  await think();
  await agent.call("get_user_details", { user_id: "nobody" });
  await agent.end();
}

async function callInParallel(argv: readonly string[]): Promise<void> {
  const agent = new FeatureTour(argv, [], { name: "demo-agent", options: { stderr: "inherit" } });
  await agent.connect();
  await Promise.all([
    agent.call("lookup", { text: "slow", delay_ms: 300 }),
    agent.call("lookup", { text: "fast" }),
  ]);
  await think();
  await agent.call("update", { text: "Zoë, 東京 \u001b[31m", fail: true });
  await agent.end();
}

async function show(dir: string): Promise<number> {
  const files = await listLogs(dir);
  runtime.print(
    "\nThis is what was recorded. `hoist episodes DIR` lists the sessions of a folder:\n",
  );
  let status = await hoist(["episodes", dir], denoRuntime("hoist"));
  runtime.print(
    "\n`hoist episodes FILE` shows one, turn by turn. A turn is what the model asked for at once:\n" +
      "the log has no such thing, it is inferred from timing.\n",
  );
  for (const { path } of files.slice(-3)) {
    status ||= await hoist(["episodes", path], denoRuntime("hoist"));
    runtime.print("");
  }
  runtime.print(
    `The logs are in ${dir}: every line that crossed, verbatim, one JSON value a line.`,
  );
  runtime.print("Next: README.md, from 'Install' on, with your own server.");
  return status;
}

function proxied(dir: string, domain: string, server: readonly string[]): readonly string[] {
  const proxy = fileURLToPath(new URL("../../cmd/hoist_mcp.ts", import.meta.url));
  return [
    Deno.execPath(),
    "run",
    "-A",
    proxy,
    "--record",
    dir,
    "--domain",
    domain,
    "--",
    ...server,
  ];
}

function demoServer(...args: readonly string[]): readonly string[] {
  const path = fileURLToPath(new URL("../../cmd/hoist_mcp_demo.ts", import.meta.url));
  return [Deno.execPath(), "run", "-A", path, ...args];
}

/** Fetches a package before it is started, so that its session does not begin with a wait. */
async function download(specifier: string): Promise<void> {
  runtime.say(`getting ${specifier} (the first time it comes from the npm registry)`);
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["cache", "--quiet", "--no-config", specifier],
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`Cannot download ${specifier}: see the lines above`);
}

function think(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, THINKING_MS));
}
