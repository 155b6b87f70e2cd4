/**
 * Calls and lists the proxy asks the server for on its own, in the era the agent
 * speaks.
 *
 * @module
 */

import type { LookupAnswer } from "../flow/walking/run_flow.ts";
import { OWN_META, VERSION_KEY } from "../mcp/era.ts";
import { callResult } from "../trace/call_result.ts";
import { at, isObject, type JsonObject } from "../json/json.ts";
import type { ListedTools } from "./listed_tools.ts";
import type { OwnRequest, OwnRequests } from "./own_requests.ts";
import type { CallGate } from "./parts.ts";
import type { SeenMessage } from "./seen.ts";

/** Pages of a list that are asked for, and how long each may take. */
const MAX_PAGES = 100;
const LIST_MS = 10_000;

/** What own calls go through. */
export interface OwnCallPorts {
  readonly own: OwnRequests;
  readonly tools: ListedTools;
  /** Hears of every answer. */
  readonly gate: CallGate | undefined;
}

/** The proxy's own calls of one session. */
export class OwnCalls {
  /** The version the agent's last message had; undefined in a legacy session. */
  version: string | undefined;
  readonly #ports: OwnCallPorts;
  readonly #lookups = new Set<OwnRequest>();
  #listing: Promise<void> | undefined;
  /** Whether the server gave no list when it was asked last. */
  #isListless = false;

  /** Starts with none. */
  constructor(ports: OwnCallPorts) {
    this.#ports = ports;
  }

  /**
   * Calls a tool.
   *
   * @param tool The tool.
   * @param args Its arguments.
   * @param how How long it may take in milliseconds, and a progress token to hand on.
   * @returns The answer; undefined when none came.
   */
  async call(
    tool: string,
    args: JsonObject,
    { ms = Infinity, token }: { readonly ms?: number; readonly token?: unknown },
  ): Promise<LookupAnswer> {
    const params = this.#params({ name: tool, arguments: args }, token);
    const request = this.#ports.own.ask("tools/call", params, ms);
    if (ms < Infinity) this.#lookups.add(request);
    const reply = await request.reply;
    this.#lookups.delete(request);
    if (reply.kind !== "answer" || asksForInput(reply.message)) return undefined;
    const { error, content } = readAnswer(reply.message);
    this.#ports.gate?.answered({ tool, arguments: args, error, content });
    return { error, content };
  }

  /** Gives up the calls under way that have a limit: lookups. */
  cancelLookups(): void {
    this.#lookups.forEach((lookup) => lookup.cancel());
  }

  /** Why a tool may not be called unasked, by the server's own list. */
  async refusal(tool: string): Promise<string | undefined> {
    const listed = this.list();
    // A server that gave none is asked again, but no result of the agent's waits for that.
    if (!this.#isListless) await listed;
    return this.#ports.tools.refusal(tool);
  }

  /** Asks the server for its tools, unless a list is there that holds: its host may never do so. */
  list(): Promise<void> {
    if (this.#ports.tools.isListed) return Promise.resolve();
    return this.#listing ??= this.#listPages().catch(() => {
      this.#isListless = true; // A list that cannot be read is none.
    }).finally(() => this.#listing = undefined);
  }

  async #listPages(): Promise<void> {
    const { own, tools } = this.#ports;
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = this.#params(cursor === undefined ? {} : { cursor });
      const reply = await own.ask("tools/list", params, LIST_MS).reply;
      const message = reply.kind === "answer" ? reply.message : undefined;
      const result = at(message?.value, "result");
      this.#isListless = result === undefined;
      if (result === undefined) return;
      cursor = tools.page(result, { by: "proxy", isFirst: cursor === undefined });
      // A list that changed meanwhile is asked for from its start.
      if (cursor === undefined && tools.isListed) return;
    }
  }

  #params(params: JsonObject, token?: unknown): string {
    const meta = {
      ...(this.version === undefined ? {} : { ...OWN_META, [VERSION_KEY]: this.version }),
      ...(token === undefined ? {} : { progressToken: token }),
    };
    return JSON.stringify(Object.keys(meta).length === 0 ? params : { ...params, _meta: meta });
  }
}

/** What an answer to a call says, as every reader of logs reads it. */
export function readAnswer(
  { value }: SeenMessage,
): { readonly error: boolean; readonly content: string } {
  const { result, error } = value;
  return callResult({
    result: isObject(result) ? result : undefined,
    error: error === undefined ? undefined : isObject(error) ? error : {},
  });
}

/** Whether a result is none yet: the server asks for input first. */
export function asksForInput({ value }: SeenMessage): boolean {
  return at(value, "result", "resultType") === "input_required";
}
