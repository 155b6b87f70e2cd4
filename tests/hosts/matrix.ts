/**
 * `deno task hosts [--write] [HOST]…`: what the model gets to see of a flow's lookups in real hosts;
 * `--write` makes docs/hosts.md of it.
 *
 * Each run starts a host from npm, headless, against a scripted model and the shape server behind
 * `hoist-mcp --flow`. No account, no key, nothing but loopback once the hosts are installed.
 *
 * @module
 */

import { HOST_BUDGETS, UNKNOWN_HOST } from "../../lib/intercept/flow/appendix/host_budgets.ts";
import { executable, ROOT } from "../util/executables.ts";
import { LAB_HOSTS, type LabHost, type LabServer } from "./hosts.ts";
import { type HostRun, runHost, shownOf } from "./run_host.ts";
import type { ScriptStep } from "./scripted_model.ts";
import { ERROR_TEXT, SHAPES } from "./shape_server.ts";
import { learnShapes, shapeServer } from "./shape_flow.ts";

/** One run of a host: the size of each own answer in bytes, and how many parts it names. */
interface Setting {
  readonly bytes: number;
  readonly parts: number;
}

const SETTINGS: readonly Setting[] = [
  { bytes: 20, parts: 0 },
  { bytes: 20, parts: 1 },
  { bytes: 1_000, parts: 8 },
  { bytes: 8_000, parts: 3 },
  { bytes: 30_000, parts: 3 },
  { bytes: 100_000, parts: 3 },
];

/** What the model saw of one shape in one run. */
export interface Seen {
  readonly shape: string;
  /** Whether the end of the server's own answer is there. */
  readonly own: boolean;
  /** How many of the parts are there once, and how many more than once. */
  readonly once: number;
  readonly often: number;
}

/** Counts what a result shows of the parts that the flow looked up. */
export function seenIn(shape: string, text: string, id: string, parts: number): Seen {
  const counts = Array.from(
    { length: parts },
    (_, n) => text.split(`${id}-part-${n + 1} PART-END`).length - 1,
  );
  return {
    shape,
    own: text.includes("OWN-END"),
    once: counts.filter((count) => count === 1).length,
    often: counts.filter((count) => count > 1).length,
  };
}

const idOf = (shape: string) => `doc-${shape}-lab`;

function script(): ScriptStep[] {
  const open = (shape: string) => ({ tool: `open_${shape}`, args: { id: idOf(shape) } });
  return [
    ...Object.keys(SHAPES).map((shape) => ({ calls: [open(shape)] })),
    { calls: [open("broken")] },
    { text: "done" },
  ];
}

/** One line of the table. */
function rowOf(host: LabHost, { bytes, parts }: Setting, run: HostRun): string {
  const cells = Object.keys(SHAPES).map((shape) => {
    const text = shownOf(run, `open_${shape}`) ?? "";
    const seen = seenIn(shape, text, idOf(shape), parts);
    const lookups = seen.often > 0 ? `${seen.often} twice` : `${seen.once} of ${parts}`;
    return `${seen.own ? "own" : "cut"}, ${lookups}`;
  });
  const error = shownOf(run, "open_broken")?.includes(ERROR_TEXT) ? "own" : "lost";
  return `| ${host.title} | ${bytes} | ${[...cells, error].join(" | ")} |`;
}

/** The page, but for the table of what was seen. */
function page(rows: readonly string[]): string {
  const hosts = LAB_HOSTS.map(({ title, package: name, version }, n) => {
    const { client, cutAt, limit, unit } = HOST_BUDGETS[n] ?? UNKNOWN;
    return `| ${title} | \`${name}\` ${version} | \`${client}\` | ${cutAt} ${unit} | ${limit} |`;
  });
  return `# Hosts

Written by \`deno task hosts --write\`, which runs each host from npm, headless, against a scripted
model on loopback. [active.md](active.md) says what a flow does; here is what the model gets to see.

## What each host hands on

A result and all that is appended to it stay within the budget of the host, by the name in its
\`clientInfo\`; \`--flow-budget\` sets another. The least likely lookups are left out first, and one
line names them. An unknown host gets ${UNKNOWN_HOST.limit} ${UNKNOWN_HOST.unit}.

| host | version | \`clientInfo\` | cuts a result at | budget |
|---|---|---|---|---|
${hosts.join("\n")}

Other versions are taken to be alike. Codex gives a model that it knows more than one it does not
know, as here.

## What is changed so that the model sees it

Claude Code and Codex show the model \`structuredContent\` alone where a result has it; the others
show \`content\`, and Copilot CLI both. So a result that carries lookups has them in one more text item,
and its \`structuredContent\` under the key \`hoist/structuredContent\`; where no item of \`content\` says
the same, one is added with its text. Clients check \`structuredContent\` against the tool's
\`outputSchema\`, so in \`tools/list\` the schema of a tool that the flow may follow stands under
\`hoist/outputSchema\`. All other bytes stay, and so do all other results and tools. With
\`--flow-shadow\` nothing changes. A program that reads \`structuredContent\` finds it under the other key.

## What was seen

For each shape of a result: whether the end of the server's own answer reached the model (\`own\`, or
\`cut\` by the host's limit or never shown by this host), and how many of the looked-up parts it saw
exactly once. \`0 of\` means that the flow could not read the shape, or that nothing fits: see the
sizes above.

${rows.join("\n")}
`;
}

const UNKNOWN = { client: "", cutAt: 0, ...UNKNOWN_HOST };

async function main(args: readonly string[]): Promise<number> {
  const names = args.filter((arg) => arg !== "--write");
  const hosts = LAB_HOSTS.filter(({ name }) => names.length === 0 || names.includes(name));
  if (names.some((name) => LAB_HOSTS.every((host) => host.name !== name))) {
    console.error(`usage: deno task hosts [--write] [${LAB_HOSTS.map((h) => h.name).join("|")}]…`);
    return 2;
  }
  const dir = await Deno.makeTempDir({ prefix: "hoist-hosts-" });
  try {
    const flow = await learnShapes(dir);
    const head = ["host", "own bytes", ...Object.keys(SHAPES), "error"];
    const rows = [`| ${head.join(" | ")} |`, `|${"---|".repeat(head.length)}`];
    console.log(rows.join("\n"));
    let faults = 0;
    for (const host of hosts) {
      for (const setting of SETTINGS) {
        const run = await runHost(host, behindProxy(flow, setting), script());
        if (run.fault !== undefined) faults++;
        const row = run.fault ? `| ${host.title} | ${run.fault} |` : rowOf(host, setting, run);
        rows.push(row);
        console.log(row);
      }
    }
    const file = `${ROOT}/docs/hosts.md`;
    if (args.includes("--write") && faults === 0) await Deno.writeTextFile(file, page(rows));
    return faults === 0 ? 0 : 1;
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** The shape server behind a proxy with the flow. */
function behindProxy(flow: string, { bytes, parts }: Setting): LabServer {
  const proxy = [...executable("hoist-mcp"), "--flow", flow, "--flow-per-session", "200", "--"];
  const [program = "", ...args] = [...proxy, ...shapeServer(bytes, parts)];
  // The host gives the server a home of its own; Deno's cache stays where it is.
  const env = { DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno` };
  return { name: "lab", command: [program, ...args], env };
}

if (import.meta.main) Deno.exit(await main(Deno.args));
