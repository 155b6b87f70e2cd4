/**
 * A host under a test's control: raw bytes to the proxy, raw bytes back, no
 * MCP and no timing of its own. Waits are for events, with a limit that only a
 * hang reaches.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { concat } from "../../lib/bytes/concat.ts";
import { executable, util } from "./executables.ts";
import { StderrText } from "./stderr_text.ts";
import type { Step } from "./scripted_server.ts";

const HANG_MS = 30_000;

/** How to start a session. */
export interface HostOptions {
  /** What the server does; see scripted_server.ts. */
  readonly plan?: readonly Step[];
  /** The server's command instead of a scripted one. `{dir}` is the session's folder. */
  readonly server?: readonly string[];
  /** A command in front of the scripted server's, such as `sh -c`. */
  readonly wrap?: (server: readonly string[]) => readonly string[];
  /** Flags of the proxy. */
  readonly flags?: readonly string[];
  /** Whether to record. */
  readonly record?: boolean;
  /** Variables for the proxy besides our own. */
  readonly env?: Readonly<Record<string, string>>;
  /** A command in front of the proxy's, such as `sh -c 'ulimit …; exec "$@"'`. */
  readonly launcher?: readonly string[];
  /** Start the server directly, without the proxy. */
  readonly direct?: boolean;
}

/** A running session. */
export class ManualHost implements AsyncDisposable {
  /** The session's folder: the server's files, and `log/` with the proxy's. */
  readonly dir: string;
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #status: Promise<Deno.CommandStatus>;
  readonly #stderr: StderrText;
  #received: Uint8Array[] = [];
  #sent: Uint8Array[] = [];
  #ended = false;

  private constructor(dir: string, child: Deno.ChildProcess) {
    this.dir = dir;
    this.#child = child;
    this.#writer = child.stdin.getWriter();
    this.#reader = child.stdout.getReader();
    this.#status = child.status;
    this.#stderr = new StderrText(child.stderr);
  }

  /** Starts the proxy and the server behind it. */
  static async start(options: HostOptions): Promise<ManualHost> {
    const dir = await Deno.makeTempDir({ prefix: "hoist-test-" });
    await Deno.writeTextFile(`${dir}/plan.json`, JSON.stringify(options.plan ?? []));
    const scripted = [...util("scripted_server"), dir];
    const server = options.server?.map((w) => w.replaceAll("{dir}", dir)) ??
      options.wrap?.(scripted) ?? scripted;
    const record = options.record ? ["--record", `${dir}/log`] : [];
    const proxy = [...executable("hoist-mcp"), ...record, ...options.flags ?? [], "--"];
    const command = [...options.launcher ?? [], ...options.direct ? [] : proxy, ...server];
    const [program = "", ...args] = command;
    const child = new Deno.Command(program, {
      args,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      env: { ...options.env },
    }).spawn();
    return new ManualHost(dir, child);
  }

  /** The proxy's process id (the launcher's, until it has exec'ed). */
  get pid(): number {
    return this.#child.pid;
  }

  /** Writes bytes, each element in a write of its own. */
  async send(...pieces: readonly (Uint8Array | string)[]): Promise<void> {
    for (const piece of pieces) {
      const bytes = typeof piece === "string" ? new TextEncoder().encode(piece) : piece;
      this.#sent.push(bytes.slice());
      await hangs(this.#writer.write(bytes), "the proxy to read");
    }
  }

  /** Closes the proxy's input. */
  async close(): Promise<void> {
    await this.#writer.close().catch(() => {});
  }

  /** Closes the host's reading end. */
  async stopReading(): Promise<void> {
    await this.#reader.cancel();
  }

  /** Reads until `test` holds for all that has come; fails when the output ends before. */
  async readUntil(test: (text: string, bytes: number) => boolean): Promise<void> {
    let length = this.#received.reduce((n, c) => n + c.length, 0);
    let text = this.text();
    while (!test(text, length)) {
      const { value, done } = await hangs(this.#reader.read(), "output");
      if (done) {
        throw new Error(`The output ended before it held what was awaited: ${text.slice(-300)}`);
      }
      this.#received.push(value);
      length += value.length;
      // Only the tail as text: output may be large.
      text = latin1(value.length > 65_536 || length > 1_000_000 ? value : concat(this.#received));
    }
  }

  /** Reads so many lines in all. */
  async lines(count: number): Promise<void> {
    let have = this.received().filter((b) => b === 10).length;
    while (have < count) {
      const { value, done } = await hangs(this.#reader.read(), `line ${count}`);
      if (done) throw new Error(`The output ended after ${have} of ${count} lines`);
      this.#received.push(value);
      have += value.filter((b) => b === 10).length;
    }
  }

  /** Reads to the end and waits for the exit. */
  async exit(): Promise<number> {
    const drain = async () => {
      while (!this.#ended) {
        const { value, done } = await this.#reader.read().catch(() => ({
          value: undefined,
          done: true,
        }));
        if (value !== undefined) this.#received.push(value);
        this.#ended = done;
      }
    };
    await hangs(drain(), "the end of the output");
    return (await hangs(this.#status, "the exit")).code;
  }

  /** Waits for the exit without reading. */
  async exitUnread(): Promise<number> {
    return (await hangs(this.#status, "the exit")).code;
  }

  /** Everything read so far. */
  received(): Uint8Array {
    return concat(this.#received);
  }

  /** Everything read so far, one character a byte. */
  text(): string {
    return latin1(this.received());
  }

  /** Forgets what was read so far. */
  forget(): void {
    this.#received = [];
  }

  /** Everything sent so far. */
  sent(): Uint8Array {
    return concat(this.#sent);
  }

  /** Everything on stderr; waits for its end. */
  stderr(): Promise<string> {
    return hangs(this.#stderr.whole, "the end of stderr");
  }

  /** Waits until the proxy has said a text on stderr. */
  said(text: string): Promise<void> {
    return hangs(this.#stderr.until(text), text);
  }

  /** Sends a signal to the proxy. */
  kill(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /** Waits for a file of the server's and reads it. */
  async file(name: string): Promise<string> {
    const limit = Date.now() + HANG_MS;
    for (;;) {
      const text = await Deno.readTextFile(`${this.dir}/${name}`).catch(() => undefined);
      if (text !== undefined && (name !== "pid" || text !== "")) return text;
      assert(Date.now() < limit, `${name} never came`);
      await new Promise((r) => setTimeout(r, 10));
    }
  }

  /** What the server has read. */
  async serverRead(): Promise<Uint8Array> {
    return await Deno.readFile(`${this.dir}/in.bin`);
  }

  /** The session log's lines, header first. */
  async log(): Promise<string[]> {
    const names = [...Deno.readDirSync(`${this.dir}/log`)].map((e) => e.name);
    assertEquals(names.length, 1, `one log: ${names}`);
    const text = await Deno.readTextFile(`${this.dir}/log/${names[0]}`);
    assert(text.endsWith("\n"), "the log ends with a whole line");
    return text.split("\n").slice(0, -1);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close().catch(() => {});
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has exited.
    }
    await this.#status;
    await this.#reader.cancel().catch(() => {});
    await this.#stderr.whole;
    await Deno.remove(this.dir, { recursive: true });
  }
}

/** Waits until a process is gone (or a zombie nobody has reaped). */
export async function gone(pid: number): Promise<void> {
  const limit = Date.now() + HANG_MS;
  for (;;) {
    let state: string | undefined;
    try {
      state = /^State:\s+(\w)/m.exec(await Deno.readTextFile(`/proc/${pid}/status`))?.[1];
    } catch {
      return;
    }
    if (state === "Z") return;
    assert(Date.now() < limit, `process ${pid} is left running`);
    await new Promise((r) => setTimeout(r, 20));
  }
}

/** Bytes as text, one character a byte. */
export function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) {
    text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  }
  return text;
}

async function hangs<T>(work: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Hangs: waited ${HANG_MS} ms for ${what}`)), HANG_MS);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Memory of a running process, MB. */
export async function rssMb(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
