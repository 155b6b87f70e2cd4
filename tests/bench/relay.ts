/**
 * `deno task bench`: what the proxy costs on stdio, beside the direct
 * connection, in one run.
 *
 * Each round measures every target in turn, each right after the direct
 * connection, and takes ratios against that run, so that noise of the machine
 * falls on both. Printed are medians over the rounds. Nothing is asserted.
 *
 * @module
 */

import { type FlagTable, parseFlags } from "../../lib/flags/flags.ts";
import { VERSION } from "../../lib/flags/version.ts";
import { denoRuntime } from "../../lib/runtime/deno_runtime.ts";
import { executable, ROOT } from "../util/executables.ts";
import { Client } from "./client.ts";

const FLAGS: FlagTable = {
  program: "deno task bench",
  summary: "Measures what the proxy costs, against the direct connection.",
  usage: ["[OPTIONS]"],
  flags: [
    { name: "rounds", value: "N", help: "Rounds over all targets. Default: 5." },
    {
      name: "peer",
      value: "NAME=COMMAND",
      repeat: true,
      help: "Another relay to measure; its command, split at spaces, goes before the server's.",
    },
    { name: "only", value: "TEXT", help: "Only targets whose name holds the text." },
    { name: "floods", help: "Measure floods as well: 1 M lines of 200 B, 60 lines of 5 MB." },
  ],
};

/** One target's figures of one round, by name. */
type Figures = Record<string, number>;

/** A relay that takes longer than this for one round of measurements has hung. */
const LIMIT_MS = 60_000;
const SMALL = 1_500;
const BIG = 500;
const PIPELINED = 6_000;

/** Columns: title, figure, decimals, and whether the ratio to direct is shown. */
const COLUMNS: readonly (readonly [string, string, number, boolean])[] = [
  ["200 B µs", "p50Small", 0, true],
  ["20 kB µs", "p50Big", 0, true],
  ["20 kB p99 µs", "p99Big", 0, true],
  ["32 × 200 B calls/s", "rateSmall", 0, true],
  ["32 × 20 kB calls/s", "rateBig", 0, true],
  ["CPU µs a call", "cpu", 0, false],
  ["peak MB", "rss", 0, false],
  ["1 M × 200 B down MB/s", "downSmall", 0, true],
  ["60 × 5 MB down MB/s", "downBig", 0, true],
  ["1 M × 200 B up MB/s", "upSmall", 0, true],
  ["60 × 5 MB up MB/s", "upBig", 0, true],
  ["peak MB in floods", "rssFlood", 0, false],
  ["+MB, host stalled", "stalled", 0, false],
  ["answers changed", "bad", 0, false],
];

const FLOW = ["--flow", `${ROOT}/testdata/flows/parcels.flow.json`];
const GUARDS = ["--guards", "--guard-rules", `${ROOT}/testdata/guards/files.yaml`];

const runtime = denoRuntime("bench");
if (import.meta.main) Deno.exit(await bench(Deno.args));

async function bench(args: readonly string[]): Promise<number> {
  const parsed = parseFlags(FLAGS, args, VERSION);
  if (parsed.kind !== "values") {
    runtime.print(parsed.kind === "text" ? parsed.text : parsed.message);
    return parsed.kind === "text" ? 0 : 2;
  }
  const { values } = parsed;
  const rounds = Number(values.get("rounds") ?? "5");
  const dir = await Deno.makeTempDir({ prefix: "hoist-bench-" });
  const only = values.get("only") ?? "";
  const targets = targetCommands(dir, values.all("peer")).filter(([name]) => name.includes(only));
  const seen = new Map(targets.map(([name]) => [name, [] as [Figures, Figures][]]));
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < targets.length; i++) {
      const [name, command] = targets[(i + round) % targets.length] ?? ["", []];
      runtime.say(`round ${round + 1} of ${rounds}: ${name}`);
      const direct = await measure([], values.has("floods"));
      seen.get(name)?.push([direct, await measure(command, values.has("floods"))]);
      for (const file of Deno.readDirSync(dir)) await Deno.remove(`${dir}/${file.name}`);
    }
  }
  await Deno.remove(dir, { recursive: true });
  runtime.print(table(seen));
  const { stdout } = await new Deno.Command("uname", { args: ["-sm"] }).output();
  const system = new TextDecoder().decode(stdout).trim();
  runtime.print(
    `\nMedians of ${rounds} rounds; × is against the direct connection of the same round. ` +
      `Deno ${Deno.version.deno}, ${navigator.hardwareConcurrency} cores, ${system}.`,
  );
  return 0;
}

function targetCommands(dir: string, peers: readonly string[]): [string, string[]][] {
  const floor = [Deno.execPath(), "run", "-A", "--no-config", `${ROOT}/tests/bench/floor.ts`];
  return [
    ["bare loops (floor)", floor],
    ["hoist-mcp", [...executable("hoist-mcp"), "--"]],
    ["hoist-mcp --record", [...executable("hoist-mcp"), "--record", dir, "--"]],
    // A flow that hands back after each call: its tools are others.
    ["hoist-mcp --record --flow", [...executable("hoist-mcp"), "--record", dir, ...FLOW, "--"]],
    // Rules about other tools.
    ["hoist-mcp --record --guards", [...executable("hoist-mcp"), "--record", dir, ...GUARDS, "--"]],
    ...peers.map((peer): [string, string[]] => {
      const at = peer.indexOf("=");
      return [peer.slice(0, at), peer.slice(at + 1).split(" ").filter((w) => w !== "")];
    }),
  ];
}

async function measure(command: readonly string[], floods: boolean): Promise<Figures> {
  const server = [
    Deno.execPath(),
    "run",
    "-A",
    "--no-config",
    `${ROOT}/tests/bench/echo_server.ts`,
  ];
  const start = performance.now();
  const client = new Client([...command, ...server]);
  const figures: Figures = {};
  const limit = setTimeout(() => client.kill(), LIMIT_MS);
  try {
    await fill(figures, client, { start, floods });
  } catch (error) {
    runtime.say(`gave up on ${command[0] ?? "the direct connection"}: ${error}`);
  }
  clearTimeout(limit);
  await client.close();
  return figures;
}

/** Takes the measurements one by one, so that those before a failure are kept. */
async function fill(
  figures: Figures,
  client: Client,
  { start, floods }: { readonly start: number; readonly floods: boolean },
): Promise<void> {
  figures.start = await client.open(start);
  const small = payload(200);
  const big = payload(20_000);
  await client.sequential(200, small);
  await client.pipelined(500, 32, small);
  figures.p50Small = quantile(await client.sequential(SMALL, small), 0.5);
  const big50 = await client.sequential(BIG, big);
  figures.p50Big = quantile(big50, 0.5);
  figures.p99Big = quantile(big50, 0.99);
  const before = client.usage()?.cpuUs ?? NaN;
  figures.rateSmall = await client.pipelined(PIPELINED, 32, small);
  figures.cpu = ((client.usage()?.cpuUs ?? NaN) - before) / PIPELINED;
  figures.rateBig = await client.pipelined(BIG * 2, 32, big);
  figures.rss = client.usage()?.rssMb ?? NaN;
  if (floods) {
    const waiting = client.rssNow();
    const paused = client.floodDown(1_500, 65_536, 2_000);
    await new Promise((r) => setTimeout(r, 1_500));
    figures.stalled = client.rssNow() - waiting;
    await paused;
    figures.downSmall = await client.floodDown(1_000_000, 200);
    figures.downBig = await client.floodDown(60, 5_000_000);
    figures.upSmall = await client.floodUp(1_000_000, 200);
    figures.upBig = await client.floodUp(60, 5_000_000);
    figures.rssFlood = client.usage()?.rssMb ?? NaN;
  }
  figures.bad = client.bad;
}

/** About so many bytes of text such as tools return: quotes, escapes, more than ASCII. */
function payload(bytes: number): string {
  const piece = 'The quick brown fox, "naïve" café №42 \\ back/slash 🚀 end. ';
  return piece.repeat(Math.ceil(bytes / new TextEncoder().encode(piece).length)).slice(0, bytes);
}

function quantile(values: readonly number[], q: number): number {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? NaN;
}

function table(seen: ReadonlyMap<string, readonly (readonly [Figures, Figures])[]>): string {
  const all = [...seen.values()].flat();
  const columns = COLUMNS.filter(([, key]) => all.some(([, ours]) => ours[key] !== undefined));
  const median = (
    pairs: readonly (readonly [Figures, Figures])[],
    of: (d: Figures, o: Figures) => number,
  ) => quantile(pairs.map(([direct, ours]) => of(direct, ours)), 0.5);
  const row = (name: string, cells: readonly string[]) => `| ${[name, ...cells].join(" | ")} |`;
  const lines = [
    row("", ["start ms", ...columns.map(([title]) => title)]),
    `|---|${"---|".repeat(columns.length + 1)}`,
    row("direct", [
      median(all, (d) => d.start ?? NaN).toFixed(0),
      ...columns.map(([, key, digits, ratio]) =>
        ratio ? median(all, (d) => d[key] ?? NaN).toFixed(digits) : ""
      ),
    ]),
  ];
  for (const [name, pairs] of seen) {
    const start = median(pairs, (d, o) => (o.start ?? NaN) - (d.start ?? NaN));
    lines.push(row(name, [
      `+${start.toFixed(0)}`,
      ...columns.map(([, key, digits, ratio]) => {
        const value = median(pairs, (_, o) => o[key] ?? NaN).toFixed(digits);
        if (!ratio) return value;
        return `${value} (${
          median(pairs, (d, o) => (o[key] ?? NaN) / (d[key] ?? NaN)).toFixed(2)
        }×)`;
      }),
    ]));
  }
  return lines.join("\n");
}
