/**
 * A stdio transport for the SDK's client that keeps every line of the wire, both
 * ways, as text: what two sessions are compared by.
 *
 * @module
 */

import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types";

/** One line as it crossed the pipe, without its newline. */
export interface WireLine {
  readonly from: "client" | "server";
  readonly text: string;
}

/** Options for {@linkcode WireTransport}. */
export interface WireTransportOptions {
  /** Variables added to the environment of the command. */
  env?: Readonly<Record<string, string>>;
  /** Working folder of the command. */
  cwd?: string;
  /**
   * What becomes of the command's stderr.
   *
   * @default {"null"}
   */
  stderr?: "inherit" | "null";
  /**
   * How long the command may take to end once its stdin is closed, in milliseconds.
   *
   * @default {5000}
   */
  graceMs?: number;
}

/** Starts a command and speaks MCP with it, line by line. */
export class WireTransport implements Transport {
  /** Every line so far, in the order this end saw them. */
  readonly lines: WireLine[] = [];
  onmessage?: Transport["onmessage"];
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  readonly #argv: readonly string[];
  readonly #options: WireTransportOptions;
  #child: Deno.ChildProcess | undefined;
  #writer: WritableStreamDefaultWriter<Uint8Array> | undefined;
  #reading: Promise<void> = Promise.resolve();
  #waiters: { readonly isIt: (text: string) => boolean; readonly resolve: () => void }[] = [];

  /**
   * Makes a transport; `start` (called by the client's `connect`) starts the command.
   *
   * @param argv The command and its arguments.
   * @param options Its surroundings.
   */
  constructor(argv: readonly string[], options: WireTransportOptions = {}) {
    this.#argv = argv;
    this.#options = options;
  }

  start(): Promise<void> {
    const [command = "", ...args] = this.#argv;
    const { env, cwd, stderr = "null" } = this.#options;
    this.#child = new Deno.Command(command, {
      args,
      stdin: "piped",
      stdout: "piped",
      stderr,
      ...(env === undefined ? {} : { env: { ...env } }),
      ...(cwd === undefined ? {} : { cwd }),
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#reading = this.#read(this.#child.stdout);
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const text = JSON.stringify(message);
    this.lines.push({ from: "client", text });
    await this.#writer?.write(new TextEncoder().encode(text + "\n"));
  }

  /** Closes the command's stdin and waits for its end; kills it after the grace time. */
  async close(): Promise<void> {
    await this.end();
  }

  /**
   * Closes the command's stdin and waits for its end.
   *
   * @returns Its status, 137 when it had to be killed.
   */
  async end(): Promise<number> {
    const child = this.#child;
    if (child === undefined) return 0;
    this.#child = undefined;
    await this.#writer?.close().catch(() => {}); // The command may be gone already.
    const timer = setTimeout(() => child.kill("SIGKILL"), this.#options.graceMs ?? 5000);
    const { code } = await child.status;
    clearTimeout(timer);
    await this.#reading;
    this.onclose?.();
    return code;
  }

  /**
   * Waits for a line of the server.
   *
   * @param isIt Whether a line, from the given place on, is the one.
   * @param from How many lines to skip: `lines.length` before what brings the line about.
   */
  async until(isIt: (text: string) => boolean, from: number): Promise<void> {
    const isHere = this.lines.slice(from).some((line) => line.from === "server" && isIt(line.text));
    if (isHere) return;
    await new Promise<void>((resolve) => this.#waiters.push({ isIt, resolve }));
  }

  async #read(stdout: ReadableStream<Uint8Array>): Promise<void> {
    let rest = "";
    for await (const text of stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#take(line);
    }
    if (rest !== "") this.#take(rest);
  }

  #take(text: string): void {
    this.lines.push({ from: "server", text });
    try {
      this.onmessage?.(JSON.parse(text));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
    for (const { resolve } of this.#waiters.filter(({ isIt }) => isIt(text))) resolve();
    this.#waiters = this.#waiters.filter(({ isIt }) => !isIt(text));
  }
}
