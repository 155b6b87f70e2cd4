/**
 * The modern era toward an upstream: headers from the message itself, and from
 * the input schema of the tool that it calls.
 *
 * Schemas are learned from the lists that cross. A call of a tool that was never
 * listed makes the proxy ask for the list itself, since a host on stdio need not.
 *
 * @module
 */

import { OWN_META } from "../mcp/era.ts";
import { modernHeaders, nameOf } from "../mcp/request_headers.ts";
import { type ListedTool, listedTools, paramHeaders, withoutInvalid } from "../mcp/tool_headers.ts";
import { editJson } from "../json/edit_json.ts";
import { spanText, stringAt, valueAt } from "../json/json_spans.ts";
import { type Message, readMessage } from "../wire/message.ts";
import { ownRequest } from "../wire/rpc_error.ts";
import { ask, type AskPorts } from "./upstream_ask.ts";
import type { Answered, Exchange, ExchangeMode } from "./upstream_exchange.ts";
import type { Headers } from "./upstream_link.ts";

/** What the era's rules ask of their surroundings. */
export interface ModernPorts extends AskPorts {
  /** The next id of a request of our own. */
  ownId(): string;
  /** Tells the user. */
  say(line: string): void;
}

/** Pages of a list that are asked for at most. */
const MAX_PAGES = 50;

/** The era's rules. */
export class ModernTools implements ExchangeMode {
  readonly #ports: ModernPorts;
  readonly #tools = new Map<string, ListedTool["headers"]>();
  #listing: Promise<void> | undefined;
  #hasListed = false;

  /** Knows no tool yet. */
  constructor(ports: ModernPorts) {
    this.#ports = ports;
  }

  async headers({ messages }: Pick<Exchange, "messages">): Promise<Headers> {
    const message = messages[0];
    if (message === undefined) return [];
    const headers = modernHeaders(message);
    if (message.method !== "tools/call") return headers;
    const name = nameOf(message) ?? "";
    if (!this.#tools.has(name) && !this.#hasListed) await this.#list();
    const tool = this.#tools.get(name);
    return tool?.kind === "valid" ? [...headers, ...paramHeaders(tool.params, message)] : headers;
  }

  opened(): void {}

  answered({ messages }: Exchange, answer: Message): Answered {
    const method = messages[0]?.method;
    if (method === "tools/list") return this.#withoutInvalid(answer);
    if (method === "tools/call" && isHeaderMismatch(answer)) return { kind: "again" };
    return { kind: "pass" };
  }

  isLost(): boolean {
    return false;
  }

  /** The headers did not match: the list may have changed. */
  async recover(): Promise<boolean> {
    await this.#list();
    return true;
  }

  resume(): undefined {
    return undefined;
  }

  #withoutInvalid(answer: Message): Answered {
    const tools = listedTools(answer);
    this.#learn(tools);
    const spans = withoutInvalid(answer, tools);
    if (spans.length === 0) return { kind: "pass" };
    for (const { name, headers } of tools) {
      if (headers.kind === "invalid") {
        this.#ports.say(`tool "${name}" is left out of the list: x-mcp-header at ${headers.why}`);
      }
    }
    return {
      kind: "replace",
      line: editJson(answer.bytes, spans.map((span) => ({ span, text: "" }))),
    };
  }

  #learn(tools: readonly ListedTool[]): void {
    for (const { name, headers } of tools) this.#tools.set(name, headers);
  }

  #list(): Promise<void> {
    this.#listing ??= this.#listAll().finally(() => this.#listing = undefined);
    return this.#listing;
  }

  async #listAll(): Promise<void> {
    this.#hasListed = true;
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const id = this.#ports.ownId();
      const params = { ...cursor === undefined ? {} : { cursor }, _meta: OWN_META };
      const line = ownRequest(id, "tools/list", params);
      const headers = modernHeaders(readMessage(line));
      const answer = await ask(this.#ports, line, JSON.stringify(id), headers);
      if (answer?.message.result === undefined) return;
      const { bytes, result } = answer.message;
      this.#learn(listedTools(answer.message));
      cursor = stringAt(bytes, valueAt(bytes, result, "nextCursor"));
      if (cursor === undefined) return;
    }
  }
}

function isHeaderMismatch({ bytes, error }: Message): boolean {
  const code = valueAt(bytes, error, "code");
  return code !== undefined && spanText(bytes, code) === "-32020";
}
