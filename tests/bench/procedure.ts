/**
 * From the start of a client to its first tool call, and to its end:
 * `hoist-procedure` against a client made of the SDK alone, each of which starts the
 * same server, lists its tools and calls one. Whole processes, in turns.
 *
 *     deno run -A tests/bench/procedure.ts [ROUNDS]
 *
 * The server writes the time of its first `tools/call` to a file.
 *
 * @module
 */

import { executable, ROOT } from "../util/executables.ts";

const SERVER = `${ROOT}/tests/bench/procedure_server.ts`;

/** A client of the SDK's own: connects, lists, calls one tool, ends. */
const SDK_CLIENT = (version: 1 | 2) => `
import { Client } from "@modelcontextprotocol/${version === 1 ? "sdk/client" : "client"}";
import { StdioClientTransport } from "@modelcontextprotocol/${
  version === 1 ? "sdk/client/stdio.js" : "client/stdio"
}";
const [program, ...args] = Deno.args;
const client = new Client({ name: "bench", version: "1" });
await client.connect(new StdioClientTransport({ command: program, args, stderr: "ignore" }));
await client.listTools();
await client.callTool({ name: "find", arguments: { id: "A1" } });
await client.close();
`;

const PROCEDURE = {
  hoist_procedure: 1,
  domain: "bench",
  provenance: { sources: ["a bench"], training_tasks: 0 },
  inputs: { id: { type: "string", description: "" } },
  reads: ["find"],
  trees: {
    start: { calls: [['find{"id": "@input.id"}', 1]] },
    find: { calls: [["stop", 1]] },
  },
  fallback: { hand_back: "lost" },
};

async function milliseconds(
  args: readonly string[],
  stamp: string,
): Promise<{ first: number; whole: number }> {
  const [program = "", ...rest] = args;
  const start = Date.now();
  const { code, stderr } = await new Deno.Command(program, { args: rest, stdin: "null" }).output();
  const end = Date.now();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
  return { first: Number(await Deno.readTextFile(stamp)) - start, whole: end - start };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

if (import.meta.main) {
  const rounds = Number(Deno.args[0] ?? 10);
  // Beside the repository's own configuration, so that the SDKs are the pinned ones.
  const dir = await Deno.makeTempDir({ dir: `${ROOT}/tests/bench`, prefix: "tmp-" });
  try {
    const stamp = `${dir}/stamp`;
    await Deno.writeTextFile(`${dir}/p.json`, JSON.stringify(PROCEDURE));
    for (const version of [1, 2] as const) {
      await Deno.writeTextFile(`${dir}/client${version}.ts`, SDK_CLIENT(version));
    }
    const server = [Deno.execPath(), "run", "-A", SERVER, stamp];
    const sdk = (version: 1 | 2) => [
      ...[Deno.execPath(), "run", "-A", "--no-check", `${dir}/client${version}.ts`],
      ...server,
    ];
    const ways: readonly (readonly [string, readonly string[]])[] = [
      ["SDK client 1.x", sdk(1)],
      ["SDK client 2.x", sdk(2)],
      ["hoist-procedure", [
        ...executable("hoist-procedure"),
        ...["--procedure", `${dir}/p.json`, "--input", "id=A1", "--"],
        ...server,
      ]],
    ];
    const times = ways.map(() => ({ first: [] as number[], whole: [] as number[] }));
    for (let round = -1; round < rounds; round++) {
      for (const [i, [, args]] of ways.entries()) {
        const { first, whole } = await milliseconds(args, stamp);
        if (round < 0) continue; // The first round warms caches.
        times[i]?.first.push(first);
        times[i]?.whole.push(whole);
      }
    }
    console.log(`medians of ${rounds} rounds, milliseconds`);
    console.log("| client | to the first call | whole process |\n|---|---|---|");
    ways.forEach(([name], i) => {
      const { first = [], whole = [] } = times[i] ?? {};
      console.log(`| ${name} | ${median(first)} | ${median(whole)} |`);
    });
    for (const base of [0, 1]) {
      const ratio = median(times[2]?.first ?? []) / median(times[base]?.first ?? []);
      console.log(`hoist-procedure to ${ways[base]?.[0]}: ${ratio.toFixed(2)}`);
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}
