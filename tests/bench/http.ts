/**
 * What the HTTP modes cost: round trips through hoist-mcp beside the same
 * server without it, taking turns in one run, so that noise falls on both.
 *
 * Usage: `deno task bench:http [ROUNDS]`. Prints a table of medians and ratios.
 *
 * @module
 */

import { executable, util } from "../util/executables.ts";

const SMALL = 200, BIG = 20_000;
const CALLS = 600, WARM = 100, IN_FLIGHT = 32, FLOOD = 3_000;

/** Sends one call and checks its answer. */
type Call = (id: number, text: string) => Promise<void>;

interface Target {
  readonly call: Call;
  readonly pid: number;
  close(): Promise<void>;
}

interface Row {
  readonly small: number;
  readonly big: number;
  readonly rate: number;
  readonly peakMb: number;
}

/** A process that prints a URL first. */
async function service(
  command: readonly string[],
): Promise<{ url: string; child: Deno.ChildProcess }> {
  const [program = "", ...args] = command;
  const child = new Deno.Command(program, { args, stdin: "null", stdout: "piped", stderr: "null" })
    .spawn();
  const reader = child.stdout.getReader();
  let said = "";
  while (!said.includes("\n")) said += new TextDecoder().decode((await reader.read()).value);
  reader.releaseLock();
  return { url: said.trim(), child };
}

const INITIALIZE = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "bench", version: "0" },
};

function body(id: number | string, method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

async function overHttp(command: readonly string[]): Promise<Target> {
  const { url, child } = await service(command);
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const post = (text: string) => fetch(url, { method: "POST", headers, body: text });
  const opened = await post(body("i", "initialize", INITIALIZE));
  await opened.text();
  headers["mcp-session-id"] = opened.headers.get("mcp-session-id") ?? "";
  headers["mcp-protocol-version"] = "2025-06-18";
  return {
    pid: child.pid,
    async call(id, text) {
      const response = await post(body(id, "tools/call", { name: "echo", arguments: { text } }));
      const answer = await response.text();
      if (!answer.includes(text)) throw new Error(`wrong answer: ${answer.slice(0, 200)}`);
    },
    async close() {
      child.kill("SIGTERM");
      await child.status;
    },
  };
}

async function overStdio(command: readonly string[]): Promise<Target> {
  const [program = "", ...args] = command;
  const child = new Deno.Command(program, { args, stdin: "piped", stdout: "piped", stderr: "null" })
    .spawn();
  const writer = child.stdin.getWriter();
  const waiting = new Map<unknown, (line: string) => void>();
  const read = (async () => {
    let rest = "";
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) waiting.get(JSON.parse(line).id)?.(line);
    }
  })();
  const ask = (id: number | string, text: string) =>
    new Promise<string>((resolve) => {
      waiting.set(id, resolve);
      writer.write(new TextEncoder().encode(text + "\n"));
    });
  await ask("i", body("i", "initialize", INITIALIZE));
  return {
    pid: child.pid,
    async call(id, text) {
      const answer = await ask(id, body(id, "tools/call", { name: "echo", arguments: { text } }));
      waiting.delete(id);
      if (!answer.includes(text)) throw new Error(`wrong answer: ${answer.slice(0, 200)}`);
    },
    async close() {
      await writer.close();
      await child.status;
      await read;
    },
  };
}

async function measure(open: () => Promise<Target>): Promise<Row> {
  const target = await open();
  let id = 0;
  const one = async (bytes: number) => {
    const started = performance.now();
    await target.call(++id, `${id} ${"x".repeat(bytes)}`);
    return (performance.now() - started) * 1000;
  };
  const many = async (bytes: number, count: number) => {
    const times = [];
    for (let i = 0; i < count; i++) times.push(await one(bytes));
    return median(times);
  };
  await many(SMALL, WARM);
  const small = await many(SMALL, CALLS);
  const big = await many(BIG, CALLS / 3);
  let left = FLOOD;
  const started = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, async () => {
    while (left-- > 0) await one(SMALL);
  }));
  const rate = FLOOD / ((performance.now() - started) / 1000);
  const status = await Deno.readTextFile(`/proc/${target.pid}/status`);
  const peakMb = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
  await target.close();
  return { small, big, rate, peakMb };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

if (import.meta.main) {
  const rounds = Number(Deno.args[0] ?? 3);
  const echo = util("echo_mcp_server");
  const upstream = await service([...util("echo_http_server")]);
  const listen = [...executable("hoist-mcp"), "--listen", "127.0.0.1:0"];
  const log = await Deno.makeTempDir();
  const targets: Readonly<Record<string, () => Promise<Target>>> = {
    "direct HTTP": () => overHttp(util("echo_http_server")),
    "--listen, stdio": () => overHttp([...listen, "--", ...echo]),
    "--listen, stdio, --record": () => overHttp([...listen, "--record", log, "--", ...echo]),
    "--listen --upstream": () => overHttp([...listen, "--upstream", upstream.url]),
    "--upstream": () => overStdio([...executable("hoist-mcp"), "--upstream", upstream.url]),
  };
  const rows = new Map<string, Row[]>(Object.keys(targets).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, open] of Object.entries(targets)) rows.get(name)?.push(await measure(open));
  }
  const of = (name: string, key: keyof Row) =>
    median((rows.get(name) ?? []).map((row) => row[key]));
  const ratio = (name: string, key: keyof Row) =>
    median(
      (rows.get(name) ?? []).map((row, i) =>
        row[key] / (rows.get("direct HTTP")?.[i]?.[key] ?? NaN)
      ),
    );
  console.log("| mode | 200 B µs | × | 20 kB µs | × | calls/s, 32 in flight | × | peak MB |");
  console.log("|---|---|---|---|---|---|---|---|");
  for (const name of rows.keys()) {
    const cell = (key: keyof Row) => `${of(name, key).toFixed(0)} | ${ratio(name, key).toFixed(2)}`;
    console.log(
      `| ${name} | ${cell("small")} | ${cell("big")} | ${cell("rate")} | ${
        of(name, "peakMb").toFixed(0)
      } |`,
    );
  }
  upstream.child.kill("SIGTERM");
  await upstream.child.status;
  await Deno.remove(log, { recursive: true });
}
