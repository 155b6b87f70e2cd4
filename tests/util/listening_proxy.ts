/**
 * A proxy with `--listen`, and the requests of hosts toward it, for tests.
 *
 * @module
 */

import { assert } from "@std/assert";
import { EventStreamParser } from "../../lib/wire/event_stream.ts";
import { executable, util } from "./executables.ts";
import { StderrText } from "./stderr_text.ts";
import type { Step } from "./scripted_server.ts";

/** How to start a proxy. */
export interface ListeningOptions {
  /** Flags besides `--listen`. */
  readonly flags?: readonly string[];
  /** The server's command, or `--upstream` in its place. `{dir}` is the proxy's folder. */
  readonly server?: readonly string[];
  /** What a scripted server does in each session. */
  readonly plan?: readonly Step[];
  /** Variables besides our own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether to record, to `log/` in the proxy's folder. */
  readonly record?: boolean;
  /** Program and first arguments instead of `hoist-mcp`. */
  readonly program?: readonly string[];
}

/** A message, as tests look into it. */
// deno-lint-ignore no-explicit-any
export type Json = any;

/** A running proxy. */
export class ListeningProxy implements AsyncDisposable {
  readonly dir: string;
  readonly url: string;
  readonly #child: Deno.ChildProcess;
  readonly #stderr: StderrText;
  readonly #status: Promise<Deno.CommandStatus>;

  private constructor(dir: string, url: string, child: Deno.ChildProcess, stderr: StderrText) {
    this.dir = dir;
    this.url = url;
    this.#child = child;
    this.#stderr = stderr;
    this.#status = child.status;
  }

  /** Starts a proxy; settles when it has said its URL. */
  static async start(options: ListeningOptions): Promise<ListeningProxy> {
    const dir = await Deno.makeTempDir({ prefix: "hoist-test-" });
    await Deno.writeTextFile(`${dir}/plan.json`, JSON.stringify(options.plan ?? []));
    const server = options.server?.map((word) => word.replaceAll("{dir}", dir)) ??
      ["--", ...util("scripted_server"), dir];
    const [program = "", ...args] = [
      ...options.program ?? executable("hoist-mcp"),
      "--listen",
      "127.0.0.1:0",
      ...options.record ? ["--record", `${dir}/log`] : [],
      ...options.flags ?? [],
      ...server,
    ];
    const child = new Deno.Command(program, {
      args,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      env: { ...options.env },
    }).spawn();
    const stderr = new StderrText(child.stderr);
    const reader = child.stdout.getReader();
    let said = "";
    while (!said.includes("\n")) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`The proxy ended: ${await stderr.whole}`);
      said += new TextDecoder().decode(value);
    }
    reader.releaseLock();
    await child.stdout.cancel();
    return new ListeningProxy(dir, said.trim(), child, stderr);
  }

  /** The proxy's process id. */
  get pid(): number {
    return this.#child.pid;
  }

  /** Sends a request as it is. */
  fetch(init: RequestInit & { readonly method: string }): Promise<Response> {
    return fetch(this.url, init);
  }

  /** POSTs a message. */
  post(message: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch({
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: typeof message === "string" ? message : JSON.stringify(message),
    });
  }

  /** Opens a legacy session. */
  async open(version = "2025-11-25", headers: Record<string, string> = {}): Promise<HttpHost> {
    const params = {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: "t", version: "0" },
    };
    const response = await this.post(
      { jsonrpc: "2.0", id: "i", method: "initialize", params },
      headers,
    );
    const session = response.headers.get("mcp-session-id") ?? "";
    const [answer] = await messagesOf(response);
    assert(answer?.result !== undefined, JSON.stringify(answer));
    return new HttpHost(this, {
      ...headers,
      "mcp-session-id": session,
      "mcp-protocol-version": answer.result.protocolVersion,
    });
  }

  /** Sends the proxy a signal. */
  kill(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /** Its exit status. */
  async exit(): Promise<number> {
    return (await this.#status).code;
  }

  /** All it said on stderr; waits for its end. */
  stderr(): Promise<string> {
    return this.#stderr.whole;
  }

  /** Waits until it has said a text on stderr. */
  said(text: string): Promise<void> {
    return this.#stderr.until(text);
  }

  /** The text of each log, by name. */
  async logs(): Promise<string[]> {
    const names = [...Deno.readDirSync(`${this.dir}/log`)].map((entry) => entry.name).sort();
    return await Promise.all(names.map((name) => Deno.readTextFile(`${this.dir}/log/${name}`)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGTERM");
    } catch {
      // It has ended.
    }
    await this.#status;
    await this.#stderr.whole;
    await Deno.remove(this.dir, { recursive: true });
  }
}

/** A host in a legacy session. */
export class HttpHost {
  readonly #proxy: ListeningProxy;
  /** The session's headers. */
  readonly headers: Readonly<Record<string, string>>;

  /** A host that sends these headers. */
  constructor(proxy: ListeningProxy, headers: Readonly<Record<string, string>>) {
    this.#proxy = proxy;
    this.headers = headers;
  }

  /** POSTs a message. */
  post(message: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.#proxy.post(message, { ...this.headers, ...headers });
  }

  /** Calls a tool; all messages of the response. */
  async call(id: Json, name: string, args?: unknown, meta?: unknown): Promise<Json[]> {
    return await messagesOf(await this.post(toolCall(id, name, args, meta)));
  }

  /** Opens the GET stream. */
  get(headers: Record<string, string> = {}): Promise<Response> {
    return this.#proxy.fetch({
      method: "GET",
      headers: { ...this.headers, accept: "text/event-stream", ...headers },
    });
  }

  /** Ends the session. */
  async delete(): Promise<number> {
    const response = await this.#proxy.fetch({ method: "DELETE", headers: this.headers });
    await response.body?.cancel();
    return response.status;
  }
}

/** A `tools/call`. */
export function toolCall(id: Json, name: string, args?: unknown, meta?: unknown) {
  const params = { name, arguments: args ?? {}, ...(meta === undefined ? {} : { _meta: meta }) };
  return { jsonrpc: "2.0", id, method: "tools/call", params };
}

/** All messages of a response, whatever it carries. */
export async function messagesOf(response: Response): Promise<Json[]> {
  const bytes = await response.bytes();
  if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) {
    return bytes.length === 0 ? [] : [JSON.parse(new TextDecoder().decode(bytes))];
  }
  return (await eventsOf(bytes)).flatMap(({ message }) => message === undefined ? [] : [message]);
}

/** The events in the bytes of a stream. */
export function eventsOf(bytes: Uint8Array): { id: string | undefined; message: Json }[] {
  const seen: { id: string | undefined; message: Json }[] = [];
  new EventStreamParser().push(bytes, ({ data, id }) => {
    const text = new TextDecoder().decode(data);
    seen.push({ id, message: text === "" ? undefined : JSON.parse(text) });
  });
  return seen;
}

/** Reads a stream until a message is there that holds; closes it then unless told otherwise. */
export async function readUntil(
  response: Response,
  test: (message: Json) => boolean,
): Promise<{ id: string | undefined; message: Json }[]> {
  const parser = new EventStreamParser();
  const seen: { id: string | undefined; message: Json }[] = [];
  const reader = response.body?.getReader();
  assert(reader !== undefined);
  while (!seen.some(({ message }) => message !== undefined && test(message))) {
    const { value, done } = await reader.read();
    if (done) break;
    parser.push(value, ({ data, id }) => {
      const text = new TextDecoder().decode(data);
      seen.push({ id, message: text === "" ? undefined : JSON.parse(text) });
    });
  }
  await reader.cancel();
  return seen;
}
