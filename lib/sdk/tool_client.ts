/**
 * An MCP client that lists and calls tools, on a child process or over HTTP.
 *
 * The SDK's client speaks both eras of the protocol. A request is sent once, and never retried.
 *
 * @module
 */

import { UpstreamFetch } from "../http_client/upstream_fetch.ts";
import type { UpstreamNetwork } from "../http_client/upstream_network.ts";
import type { Client, JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { VERSION } from "../flags/version.ts";
import type { StopSignal } from "../session/life.ts";
import type { RunCall, RunEvent } from "../procedure/run/run_step.ts";
import type { ServerTool } from "../procedure/run/verify_tools.ts";
import { callResult } from "../trace/call_result.ts";
import { ChildLink } from "../relay/child_link.ts";
import type { LogTap } from "../relay/log_tap.ts";
import { networkFault } from "../http_client/network_fault.ts";

/** The SDK, loaded while the server starts. */
export type ClientSdk = typeof import("@modelcontextprotocol/client");

/** A connected client. */
export interface ToolClient {
  /** Every tool the server lists. */
  tools(): Promise<readonly ServerTool[]>;
  /** Calls a tool once. Never rejects. */
  call(call: RunCall): Promise<RunEvent & { readonly kind: "answered" | "lost" }>;
  /** Ends the session; for a child process, settles when it has ended. */
  close(): Promise<void>;
}

/** Timeout of the discovery request, after which a server counts as an older one. */
const PROBE_MS = 10_000;

/** Time that a server has to exit after its session ended. */
const EXIT_GRACE_MS = 3_000;

/** Options for {@linkcode connectTools}. */
export interface ToolClientOptions {
  readonly sdk: ClientSdk;
  readonly callTimeoutMs: number;
}

/**
 * Connects.
 *
 * @param transport The way to the server.
 * @param options The SDK, and how long a request may take.
 * @returns The client.
 * @throws {Error} When the server's answer breaks the protocol.
 */
export async function connectTools(
  transport: ServerTransport,
  { sdk, callTimeoutMs }: ToolClientOptions,
): Promise<ToolClient> {
  const client: Client = new sdk.Client({ name: "hoist-procedure", version: VERSION }, {
    versionNegotiation: { mode: "auto", probe: { timeoutMs: PROBE_MS } },
  });
  const timed = { timeout: callTimeoutMs };
  await client.connect(transport, timed);
  return {
    tools: async () => (await client.listTools(undefined, timed)).tools,
    async call({ tool, arguments: args }) {
      try {
        const result = await client.request(
          { method: "tools/call", params: { name: tool, arguments: args } },
          timed,
        );
        return { kind: "answered", ...callResult({ result, error: undefined }) };
      } catch (error) {
        if (error instanceof sdk.ProtocolError) {
          return { kind: "answered", error: true, content: error.message };
        }
        return { kind: "lost", reason: transport.fault?.() ?? networkFault(error) };
      }
    },
    async close() {
      await client.close().catch(() => {});
      await transport.ended;
    },
  };
}

/** A transport with the reason of its end. */
export interface ServerTransport extends Transport {
  /** Why the server ended; undefined while it runs. */
  fault?(): string | undefined;
  /** Settles when the server has ended. */
  readonly ended?: Promise<unknown>;
  /** Forwards a signal to the server. */
  signal?(signal: StopSignal): void;
}

/** What a child process is started with. */
export interface ChildTransportOptions {
  readonly command: readonly string[];
  readonly tap: LogTap | undefined;
  readonly say: (line: string) => void;
}

/** A server that is a child process. It is started at once, before the client is loaded. */
export class ChildTransport implements ServerTransport {
  onmessage?: Transport["onmessage"];
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  readonly ended: Promise<unknown>;
  /** Settles when the server is certain to end with this process. */
  readonly adopted: Promise<void>;
  readonly #link: ChildLink;
  #fault: string | undefined;
  #isClosing = false;

  /** Starts the server. Throws when it cannot be started. */
  constructor({ command, tap, say }: ChildTransportOptions) {
    this.#link = new ChildLink({
      command,
      tap,
      say,
      exitGraceMs: EXIT_GRACE_MS,
      room: () => undefined,
      onLine: (line) => this.#line(line),
    });
    this.adopted = this.#link.adopted;
    this.ended = this.#link.done.then((code) => {
      this.#fault ??= `the server ended with status ${code}`;
      this.onclose?.();
    }, (error) => {
      this.#fault ??= String(error);
      this.onclose?.();
    });
  }

  start(): Promise<void> {
    return this.#fault === undefined ? Promise.resolve() : Promise.reject(new Error(this.#fault));
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#fault !== undefined) return Promise.reject(new Error(this.#fault));
    this.#link.send(new TextEncoder().encode(JSON.stringify(message)));
    return Promise.resolve();
  }

  close(): Promise<void> {
    if (!this.#isClosing) this.#link.close();
    this.#isClosing = true;
    return Promise.resolve();
  }

  fault(): string | undefined {
    return this.#fault;
  }

  signal(signal: StopSignal): void {
    this.#link.signal(signal);
  }

  #line(line: Uint8Array): void {
    const text = new TextDecoder().decode(line);
    if (text.trim() === "") return;
    let message: JSONRPCMessage;
    try {
      message = JSON.parse(text);
    } catch {
      return this.onerror?.(new Error("the server wrote a line that is not JSON"));
    }
    this.onmessage?.(message);
  }
}

/** Options for {@linkcode upstreamTransport}. */
export interface UpstreamTransportOptions {
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  /** What the environment says of the network: it is read before permissions are given up. */
  readonly network: UpstreamNetwork;
  readonly tap: LogTap | undefined;
}

/**
 * `fetch` for the SDK by way of the proxy's own requests: with the environment's certificates,
 * redirects within the upstream's origin alone, and errors that name the cause.
 *
 * @param url The upstream, the only place that is asked.
 * @param network The network toward it.
 */
export function sdkFetch(
  url: string,
  network: UpstreamNetwork,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  const upstream = new UpstreamFetch(url, network);
  return (_url, { method = "GET", headers, body, signal } = {}) =>
    upstream.send({
      method,
      headers: [...new Headers(headers)],
      body: typeof body === "string" ? new TextEncoder().encode(body) : undefined,
      signal: signal ?? undefined,
    });
}

/** A server over HTTP. Its messages are recorded as the client reads them. */
export function upstreamTransport(
  sdk: ClientSdk,
  { url, headers, network, tap }: UpstreamTransportOptions,
): ServerTransport {
  const http = new sdk.StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: Object.fromEntries(headers) },
    fetch: sdkFetch(url, network),
  });
  const bytes = (message: JSONRPCMessage) => new TextEncoder().encode(JSON.stringify(message));
  const send = http.send.bind(http);
  http.send = (...args: Parameters<typeof send>) => {
    for (const message of [args[0]].flat()) tap?.clientLine(bytes(message));
    return send(...args);
  };
  const close = http.close.bind(http);
  http.close = async () => {
    await http.terminateSession().catch(() => {});
    await close();
  };
  if (tap !== undefined) recordAnswers(http, (message) => tap.serverLine(bytes(message)));
  return http;
}

/** Records each incoming message before the client reads it. */
function recordAnswers(transport: Transport, record: (message: JSONRPCMessage) => void): void {
  let hand: Transport["onmessage"];
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    get: () => hand,
    set(next: Transport["onmessage"]) {
      hand = next && ((message, extra) => {
        record(message);
        next(message, extra);
      });
    },
  });
}
