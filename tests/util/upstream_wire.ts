/**
 * A host on stdio in front of a scripted HTTP server: lines out, messages in.
 *
 * @module
 */

import { executable } from "./executables.ts";
import { ManualHost } from "./manual_host.ts";
import { type Script, ScriptedUpstream } from "./scripted_upstream.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

/** What a host opens a session with. */
export const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "t", version: "0" },
  },
};
/** What it says next. */
export const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };

/** A host with an upstream: lines out, messages in. */
export class Wire implements AsyncDisposable {
  /** The server. */
  readonly upstream: ScriptedUpstream;
  /** The host. */
  readonly host: ManualHost;
  #lines = 0;

  private constructor(upstream: ScriptedUpstream, host: ManualHost) {
    this.upstream = upstream;
    this.host = host;
  }

  /** Starts both. */
  static async start(
    script?: Script,
    options: { flags?: string[]; env?: Record<string, string>; record?: boolean } = {},
  ): Promise<Wire> {
    const upstream = new ScriptedUpstream(script);
    const host = await ManualHost.start({
      direct: true,
      server: [
        ...executable("hoist-mcp"),
        ...options.record ? ["--record", "{dir}/log"] : [],
        "--upstream",
        upstream.url,
        ...options.flags ?? [],
      ],
      env: options.env ?? {},
    });
    return new Wire(upstream, host);
  }

  /** Sends messages in one write. */
  async send(...messages: unknown[]): Promise<void> {
    await this.host.send(messages.map((m) => JSON.stringify(m) + "\n").join(""));
  }

  /** The next so many messages. */
  async next(count = 1): Promise<Json[]> {
    this.#lines += count;
    await this.host.lines(this.#lines);
    const text = new TextDecoder().decode(this.host.received());
    return text.split("\n").slice(this.#lines - count, this.#lines).map((line) => JSON.parse(line));
  }

  /** Opens a session. */
  async hello(): Promise<void> {
    await this.send(INITIALIZE);
    await this.next();
    await this.send(INITIALIZED);
  }

  /** Closes the host's end; the exit status. */
  async end(): Promise<number> {
    await this.host.close();
    return await this.host.exit();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host[Symbol.asyncDispose]();
    await this.upstream[Symbol.asyncDispose]();
  }
}
