/**
 * A small MCP host on stdio for tests: starts a command line, whichever server or
 * proxy it names, and speaks the 2025-11-25 era with it.
 *
 * @module
 */

import { at, type JsonObject } from "../../lib/json/json.ts";

const HANG_MS = 30_000;

/** Surroundings of {@linkcode StdioHost}. */
export interface HostSurroundings {
  /** Variables added to the command's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The host's name, as `initialize` gives it. */
  readonly name?: string;
}

/** How a session ended. */
export interface HostEnd {
  /** The command's exit status. */
  readonly code: number;
  /** What it wrote to stderr. */
  readonly stderr: string;
}

/** A running session. */
export class StdioHost implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #stderr: Promise<string>;
  readonly #reading: Promise<void>;
  readonly #waiting = new Map<number, (response: JsonObject | undefined) => void>();
  #sent = 0;

  private constructor(argv: readonly string[], env: Readonly<Record<string, string>>) {
    const [program = "", ...args] = argv;
    const pipes = { stdin: "piped", stdout: "piped", stderr: "piped" } as const;
    this.#child = new Deno.Command(program, { args, env: { ...env }, ...pipes }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#stderr = new Response(this.#child.stderr).text();
    this.#reading = this.#read();
  }

  /**
   * Starts a command and initializes a session.
   *
   * @param argv Program and arguments.
   * @param surroundings Its environment, and this host's name.
   * @returns The session, ready for requests.
   */
  static async start(
    argv: readonly string[],
    { env = {}, name = "test-host" }: HostSurroundings = {},
  ): Promise<StdioHost> {
    const host = new StdioHost(argv, env);
    await host.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name, version: "1" },
    });
    await host.#send({ method: "notifications/initialized" });
    return host;
  }

  /**
   * Sends a request.
   *
   * @param method Its method.
   * @param params Its parameters.
   * @returns Its result.
   * @throws {Error} When the answer is an error, or the session ends before it.
   */
  async request(method: string, params: JsonObject = {}): Promise<JsonObject> {
    const [result = {}] = await this.requests(method, [params]);
    return result;
  }

  /**
   * Sends requests of one method in one write, so that none is answered before all are sent.
   *
   * @param method Their method.
   * @param all The parameters of each.
   * @returns Their results, in the order sent.
   * @throws {Error} When an answer is an error, or the session ends before it.
   */
  async requests(method: string, all: readonly JsonObject[]): Promise<JsonObject[]> {
    const answers: Promise<JsonObject | undefined>[] = [];
    const messages = all.map((params) => {
      const id = ++this.#sent;
      const { promise, resolve } = Promise.withResolvers<JsonObject | undefined>();
      this.#waiting.set(id, resolve);
      answers.push(promise);
      return { id, method, params };
    });
    await this.#send(...messages);
    const results = [];
    for (const promise of answers) {
      const response = await hangs(promise, `the answer to ${method}`);
      const result = at(response, "result");
      if (typeof result === "object" && result !== null) results.push(result as JsonObject);
      else if (response !== undefined) {
        throw new Error(`${method} failed: ${JSON.stringify(response)}`);
      } else {
        throw new Error(`The session ended before ${method} was answered: ${await this.#stderr}`);
      }
    }
    return results;
  }

  /** Closes the command's stdin and waits for its end. */
  async close(): Promise<HostEnd> {
    await this.#writer.close().catch(() => {});
    const { code } = await hangs(this.#child.status, "the exit");
    await this.#reading;
    return { code, stderr: await this.#stderr };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #send(...messages: readonly JsonObject[]): Promise<void> {
    const lines = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    await this.#writer.write(new TextEncoder().encode(lines.join("")));
  }

  async #read(): Promise<void> {
    let rest = "";
    for await (const chunk of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) await this.#take(JSON.parse(line));
    }
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }

  async #take(message: JsonObject): Promise<void> {
    const { id, method } = message;
    if (method !== undefined) {
      // This host can do nothing that a server could ask for.
      const error = { code: -32601, message: "Method not found" };
      if (id !== undefined) await this.#send({ id, error });
      return;
    }
    if (typeof id !== "number") return;
    this.#waiting.get(id)?.(message);
    this.#waiting.delete(id);
  }
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
