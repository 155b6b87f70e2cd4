/**
 * An MCP client that keeps the lines of its server as they came. It sends what it is told to,
 * pairs answers with requests, and hands everything else on.
 *
 * @module
 */

import { at, isObject, type JsonObject } from "../json/json.ts";
import { CAPABILITIES_KEY, OWN_META } from "../mcp/era.ts";
import { ChildLink } from "../relay/child_link.ts";
import { errorResponse } from "../wire/rpc_error.ts";

/** An answer of the server. */
export interface RawAnswer {
  /** Its line, without the newline. */
  readonly line: Uint8Array;
  readonly value: JsonObject;
}

/** Options for {@linkcode RawClient}. */
export interface RawClientOptions {
  readonly command: readonly string[];
  readonly say: (line: string) => void;
  /** Takes a message that is no answer to a request of ours; whether it was dealt with. */
  readonly onMessage?: (value: JsonObject, line: Uint8Array) => boolean;
}

/** A revision that every server of the legacy era answers in its own way. */
const LEGACY_VERSION = "2025-11-25";
const CLIENT = { name: "hoist", version: "0" };
/** What capable hosts declare: servers list more tools to them. Only roots are answered. */
const CAPABILITIES = { roots: {}, sampling: {}, elicitation: {} };
const METHOD_NOT_FOUND = -32601;
/** A server that is fetched from a registry first takes its time. */
const OPEN_MS = 120_000;
const EXIT_GRACE_MS = 3_000;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A client of one server that is a child process. */
export class RawClient {
  readonly #link: ChildLink;
  readonly #options: RawClientOptions;
  readonly #waiting = new Map<string, (answer: RawAnswer | undefined) => void>();
  #last = 0;
  #isModern = false;

  /** Starts the server; throws when it cannot be started. */
  constructor(options: RawClientOptions) {
    this.#options = options;
    this.#link = new ChildLink({
      command: options.command,
      tap: undefined,
      say: options.say,
      exitGraceMs: EXIT_GRACE_MS,
      room: () => undefined,
      onLine: (line) => this.#take(line.slice()),
      onEnd: () => this.#lose(),
    });
    this.#link.done.catch(() => {}).finally(() => this.#lose());
  }

  /** Opens a session of either era; the result of `initialize` or `server/discover`. */
  async open(): Promise<JsonObject> {
    const legacy = await this.request("initialize", {
      protocolVersion: LEGACY_VERSION,
      capabilities: CAPABILITIES,
      clientInfo: CLIENT,
    }, OPEN_MS);
    const result = at(legacy.value, "result");
    if (isObject(result)) {
      this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
      return result;
    }
    this.#isModern = true;
    const modern = await this.request("server/discover", {}, OPEN_MS);
    const found = at(modern.value, "result");
    if (isObject(found)) return found;
    throw new Error(`the server opens no session: ${JSON.stringify(at(legacy.value, "error"))}`);
  }

  /**
   * Sends a request of its own id.
   *
   * @param method The method.
   * @param params Its params; a modern session's `_meta` is added.
   * @param ms How long the answer may take.
   * @returns The answer, a result or an error.
   * @throws {Error} When there is none.
   */
  async request(method: string, params: JsonObject, ms: number): Promise<RawAnswer> {
    const id = ++this.#last;
    const { promise, resolve } = Promise.withResolvers<RawAnswer | undefined>();
    this.#waiting.set(String(id), resolve);
    const late = setTimeout(() => this.#settle(String(id), undefined), ms);
    const meta = this.#isModern
      ? {
        _meta: {
          ...OWN_META,
          [CAPABILITIES_KEY]: CAPABILITIES,
          ...isObject(params._meta) ? params._meta : {},
        },
      }
      : {};
    this.send({ jsonrpc: "2.0", id, method, params: { ...params, ...meta } });
    const answer = await promise;
    clearTimeout(late);
    if (answer === undefined) throw new Error(`the server did not answer ${method}`);
    return answer;
  }

  /** Sends a message. */
  send(message: unknown): void {
    this.#link.send(encoder.encode(JSON.stringify(message)));
  }

  /** Ends the session; settles when the server has ended. */
  async close(): Promise<void> {
    this.#link.close();
    await this.#link.done.catch(() => {});
  }

  #take(line: Uint8Array): void {
    let value: unknown;
    try {
      value = JSON.parse(decoder.decode(line));
    } catch {
      return; // Servers print other things too.
    }
    if (!isObject(value)) return;
    if (typeof value.method !== "string") {
      return this.#settle(JSON.stringify(value.id), { line, value });
    }
    if (this.#options.onMessage?.(value, line) === true || value.id === undefined) return;
    const id = JSON.stringify(value.id);
    if (value.method === "ping") return this.send({ jsonrpc: "2.0", id: value.id, result: {} });
    if (value.method === "roots/list") {
      return this.send({ jsonrpc: "2.0", id: value.id, result: { roots: [] } });
    }
    this.#link.send(errorResponse(id, METHOD_NOT_FOUND, `Method not found: ${value.method}`));
  }

  #settle(id: string, answer: RawAnswer | undefined): void {
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    resolve?.(answer);
  }

  #lose(): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, undefined);
  }
}
