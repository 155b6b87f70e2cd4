/**
 * A raw MCP host for measurements: no SDK, so that little but the command under
 * test is measured. Every answer's text is compared with what was asked.
 *
 * @module
 */

import { concat } from "../../lib/bytes/concat.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What the processes of a command used, without the echo server at their end. */
export interface Usage {
  /** Peak resident memory, MB; the sum of the processes' peaks. */
  readonly rssMb: number;
  /** Processor time so far, microseconds. */
  readonly cpuUs: number;
}

/** A running command, with the echo server behind it or being it. */
export class Client {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reader: ReadableStreamBYOBReader;
  #buffer = new Uint8Array(262_144);
  #rest: Uint8Array[] = [];
  #lines: Uint8Array[] = [];
  #id = 0;
  /** Answers that were not what was asked for. */
  bad = 0;

  /** Starts a command. */
  constructor(command: readonly string[]) {
    const [program = "", ...args] = command;
    this.#child = new Deno.Command(program, {
      args,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#reader = this.#child.stdout.getReader({ mode: "byob" });
  }

  /** Exchanges `initialize`; returns the milliseconds since `start`. */
  async open(start: number): Promise<number> {
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "bench", version: "1" },
    };
    this.#send({ jsonrpc: "2.0", id: "init", method: "initialize", params });
    await this.#line();
    const ms = performance.now() - start;
    this.#send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return ms;
  }

  /** Calls one after another; the microseconds each took. */
  async sequential(count: number, text: string): Promise<number[]> {
    const times = [];
    for (let i = 0; i < count; i++) {
      const start = performance.now();
      const want = this.#ask("echo", text);
      this.#check(await this.#line(), want);
      times.push((performance.now() - start) * 1000);
    }
    return times;
  }

  /** Keeps `inFlight` calls under way until `count` are answered; calls a second. */
  async pipelined(count: number, inFlight: number, text: string): Promise<number> {
    const wanted: string[] = [];
    const start = performance.now();
    let asked = 0;
    for (; asked < Math.min(count, inFlight); asked++) wanted.push(this.#ask("echo", text));
    for (let answered = 0; answered < count; answered++) {
      this.#check(await this.#line(), wanted.shift() ?? "");
      if (asked++ < count) wanted.push(this.#ask("echo", text));
    }
    return count / ((performance.now() - start) / 1000);
  }

  /** Has the server send `count` lines of `bytes`; MB a second. `pauseMs`: reads nothing so long. */
  async floodDown(count: number, bytes: number, pauseMs = 0): Promise<number> {
    const start = performance.now();
    this.#ask("flood", "done", { count, bytes });
    if (pauseMs > 0) await new Promise((r) => setTimeout(r, pauseMs));
    let total = 0;
    while (total < count * bytes) total += (await this.#chunk()).length;
    const rate = total / 1e6 / ((performance.now() - start) / 1000);
    // The answer stands behind the flood; what came of it with the last chunk was counted.
    if (total === count * bytes) await this.#chunk();
    return rate;
  }

  /** Sends `count` lines of `bytes`, then asks how many lines came; MB a second. */
  async floodUp(count: number, bytes: number): Promise<number> {
    const before = Number(await this.#count());
    const line = encoder.encode('{"filler":"' + "z".repeat(bytes - 14) + '"}\n');
    const perWrite = Math.max(1, Math.min(count, Math.floor(262_144 / bytes)));
    const block = new Uint8Array(line.length * perWrite);
    for (let i = 0; i < perWrite; i++) block.set(line, i * line.length);
    const start = performance.now();
    for (let left = count; left > 0; left -= perWrite) {
      await this.#writer.write(left >= perWrite ? block : block.subarray(0, left * line.length));
    }
    const lines = Number(await this.#count()) - before - 1;
    if (lines !== count) this.bad++;
    return count * bytes / 1e6 / ((performance.now() - start) / 1000);
  }

  /** What the command's processes used so far; undefined where /proc is not. */
  usage(): Usage | undefined {
    try {
      let rss = 0;
      let ticks = 0;
      for (const pid of tree(this.#child.pid).filter(isWrapped)) {
        rss += Number(/VmHWM:\s+(\d+)/.exec(Deno.readTextFileSync(`/proc/${pid}/status`))?.[1]);
        const stat = Deno.readTextFileSync(`/proc/${pid}/stat`).replace(/^.*\) /, "").split(" ");
        ticks += Number(stat[11]) + Number(stat[12]);
      }
      return { rssMb: rss / 1024, cpuUs: ticks * 10_000 };
    } catch {
      return undefined;
    }
  }

  /** Resident memory now, MB. */
  rssNow(): number {
    try {
      return tree(this.#child.pid).filter(isWrapped).reduce((sum, pid) => {
        const status = Deno.readTextFileSync(`/proc/${pid}/status`);
        return sum + Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
      }, 0);
    } catch {
      return NaN;
    }
  }

  /** Ends the command at once. */
  kill(): void {
    for (const pid of tree(this.#child.pid)) Deno.kill(pid, "SIGKILL");
  }

  /** Ends the command. */
  async close(): Promise<void> {
    await this.#writer.close().catch(() => {});
    const drain = async () => {
      while (!(await this.#reader.read(new Uint8Array(65_536))).done);
    };
    await Promise.all([drain(), this.#child.status]);
  }

  /** Sends a call, and does not wait for it to be taken: a host that did could wait for ever. */
  #ask(name: string, text: string, more: Record<string, unknown> = {}): string {
    const id = ++this.#id;
    const want = name === "echo" ? `#${id} ${text}` : text;
    const params = { name, arguments: { text: want, ...more } };
    this.#send({ jsonrpc: "2.0", id, method: "tools/call", params });
    return want;
  }

  async #count(): Promise<string> {
    this.#ask("count", "");
    return JSON.parse(decoder.decode(await this.#line())).result.content[0].text;
  }

  #check(line: Uint8Array, want: string): void {
    if (JSON.parse(decoder.decode(line)).result?.content[0].text !== want) this.bad++;
  }

  #send(message: unknown): void {
    this.#writer.write(encoder.encode(JSON.stringify(message) + "\n")).catch(() => {});
  }

  async #chunk(): Promise<Uint8Array> {
    const { value, done } = await this.#reader.read(this.#buffer);
    if (done || value === undefined) throw new Error("the output ended");
    this.#buffer = new Uint8Array(value.buffer);
    return value;
  }

  async #line(): Promise<Uint8Array> {
    while (this.#lines.length === 0) {
      const chunk = await this.#chunk();
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        this.#rest.push(chunk.slice(start, end));
        this.#lines.push(concat(this.#rest));
        this.#rest = [];
        start = end + 1;
      }
      if (start < chunk.length) this.#rest.push(chunk.slice(start));
    }
    return this.#lines.shift() ?? new Uint8Array();
  }
}

/** A process and all below it. */
function tree(pid: number): number[] {
  const found = [pid];
  for (const parent of found) {
    for (const task of Deno.readDirSync(`/proc/${parent}/task`)) {
      const children = Deno.readTextFileSync(`/proc/${parent}/task/${task.name}/children`);
      found.push(...children.split(" ").filter((c) => c !== "").map(Number));
    }
  }
  return found;
}

/** Whether a process is part of the command under test and not the echo server at its end. */
function isWrapped(pid: number): boolean {
  const words = Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0");
  const script = words.find((word) => word.endsWith(".ts")) ?? "";
  return words[0] !== Deno.execPath() || !script.endsWith("echo_server.ts");
}
