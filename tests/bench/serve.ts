/**
 * What an answer from a tape costs, beside one that the proxy forwards: `deno task bench:serve`.
 *
 * The calls of a recorded session are made again: through `hoist-mcp` to the server, and to
 * `hoist serve` without it. Each round measures both in turn; printed are medians of the rounds.
 *
 * @module
 */

import { executable, ROOT } from "../util/executables.ts";
import { Client } from "./client.ts";

const [ROUNDS, CALLS, BYTES] = [5, 3_000, 200];
const IN_FLIGHT = 32;

const server = [Deno.execPath(), "run", "-A", "--no-config", `${ROOT}/tests/bench/echo_server.ts`];
const dir = await Deno.makeTempDir({ prefix: "hoist-bench-" });
const text = "x".repeat(BYTES);

/** Each call's microseconds at the median, and calls a second with many under way. */
async function measured(command: readonly string[]): Promise<[p50: number, rate: number]> {
  const client = new Client(command);
  await client.open(performance.now());
  const times = (await client.sequential(CALLS, text)).sort((a, b) => a - b);
  const rate = await client.pipelined(CALLS, IN_FLIGHT, text);
  if (client.bad > 0) throw new Error(`${client.bad} answers were not what was asked for`);
  await client.close();
  return [times[CALLS / 2] ?? NaN, rate];
}

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? NaN;

await measured([...executable("hoist-mcp"), "--record", dir, "--", ...server]);
const [direct, forwarded, served] = [[], [], []] as [number, number][][];
for (let round = 0; round < ROUNDS; round++) {
  direct?.push(await measured(server));
  forwarded?.push(await measured([...executable("hoist-mcp"), "--", ...server]));
  served?.push(await measured([...executable("hoist"), "serve", "--again", dir]));
}
await Deno.remove(dir, { recursive: true });
for (
  const [name, runs = []] of [["direct", direct], ["forwarded", forwarded], [
    "served",
    served,
  ]] as const
) {
  const p50 = median(runs.map(([time]) => time));
  const rate = median(runs.map(([, rate]) => rate));
  const toForwarded = median(runs.map(([time], i) => time / (forwarded?.[i]?.[0] ?? NaN)));
  console.log(
    `${name.padEnd(10)} ${p50.toFixed(0).padStart(6)} µs a call (× ${
      toForwarded.toFixed(2)
    } of forwarded), ` +
      `${rate.toFixed(0).padStart(7)} calls/s with ${IN_FLIGHT} under way`,
  );
}
