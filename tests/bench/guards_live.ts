/**
 * What guards add to a call of a running session: the same calls through two proxies, one
 * with guards and one without, in turn, after 500 results. Prints milliseconds; asserts
 * nothing.
 *
 * `deno run -A tests/bench/guards_live.ts`
 */

import { executable } from "../util/executables.ts";

const RESULTS = 500;
const CALLS = 600;

/** A session with the demo shop. */
class Shop {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #id = 0;

  constructor(flags: readonly string[]) {
    const shop = [...executable("hoist-mcp-demo"), "--world", "retail"];
    const [program = "", ...args] = [...executable("hoist-mcp"), ...flags, "--", ...shop];
    this.#child = new Deno.Command(program, {
      args,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#reader = this.#child.stdout.getReader();
  }

  /** Asks, one request at a time; milliseconds until the answer's line ended. */
  async ask(method: string, params: unknown): Promise<number> {
    const line = JSON.stringify({ jsonrpc: "2.0", id: ++this.#id, method, params }) + "\n";
    const start = performance.now();
    await this.#writer.write(new TextEncoder().encode(line));
    for (;;) {
      const { value, done } = await this.#reader.read();
      if (done) throw new Error("The session ended");
      if (value.at(-1) === 10) return performance.now() - start;
    }
  }

  call(name: string, args: unknown): Promise<number> {
    return this.ask("tools/call", { name, arguments: args });
  }

  async open(): Promise<void> {
    const clientInfo = { name: "bench", version: "1" };
    await this.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    await this.call("find_user_id_by_email", { email: "c7@example.com" });
  }

  async close(): Promise<void> {
    await this.#writer.close();
    await this.#reader.cancel();
    await this.#child.status;
  }
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? NaN;
}

const plain = new Shop(["--commit"]);
const guarded = new Shop(["--commit", "--guards", "--domain", "retail"]);
await Promise.all([plain.open(), guarded.open()]);
const orders = ["#W7a", "#W7b"];
for (let i = 0; i < RESULTS; i++) {
  const args = { order_id: orders[i % 2] };
  await Promise.all([plain, guarded].map((shop) => shop.call("get_order_details", args)));
}
for (
  const [what, tool, args] of [
    ["a lookup", "get_order_details", { order_id: "#W7a" }],
    ["a write that is made", "cancel_pending_order", {
      order_id: "#W7b",
      reason: "no longer needed",
    }],
  ] as const
) {
  const times: [number[], number[]] = [[], []];
  const added: number[] = [];
  for (let i = 0; i < CALLS; i++) {
    // The order's status is read again: a cancelled one would be refused.
    for (const shop of [plain, guarded]) await shop.call("get_order_details", { order_id: "#W7b" });
    // Now one first, now the other.
    const first = i % 2 === 0 ? await plain.call(tool, args) : undefined;
    const with_ = await guarded.call(tool, args);
    const without = first ?? await plain.call(tool, args);
    times[0].push(without);
    times[1].push(with_);
    added.push(with_ - without);
  }
  const [without = NaN, with_ = NaN] = times.map(median);
  console.log(
    `${what} after ${RESULTS} results, medians: ${without.toFixed(3)} ms without guards, ` +
      `${with_.toFixed(3)} ms with; ${median(added).toFixed(3)} ms added, pair by pair`,
  );
}
await Promise.all([plain.close(), guarded.close()]);
