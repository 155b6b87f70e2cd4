/**
 * The modern era toward an upstream: headers come from the message itself, and
 * from the input schema of the tool it calls.
 *
 * Schemas are learned from the lists that pass. A call of a tool that was never
 * listed makes the proxy list the tools itself, because a host on stdio need not.
 *
 * @module
 */

import { editJson } from "../../json/edit_json.ts";
import { spanText, stringAt, valueAt } from "../../json/json_spans.ts";
import { OWN_META } from "../../mcp/era.ts";
import { mcpName, modernHeaders } from "../../mcp/request_headers.ts";
import {
  listedToolHeaders,
  paramHeaders,
  type ToolWithHeaders,
  withoutInvalid,
} from "../../mcp/tool_headers.ts";
import { type Message, readMessage } from "../../wire/message.ts";
import { ownRequest } from "../../wire/rpc_error.ts";
import type { HeaderList } from "./link.ts";
import { askUpstream, type ProxyRequestPorts } from "./proxy_request.ts";
import type { AnswerRuling, Era, PostOfEra } from "./era.ts";

/** Ports of the modern era. */
export interface ModernPorts extends ProxyRequestPorts {
  /** The next id of a request of the proxy. */
  ownId(): string;
  /** Tells the user. */
  say(line: string): void;
}

/** Most pages of a list that are asked for. */
const MAX_PAGES = 50;

/** The era's rules. */
export class ModernEra implements Era {
  readonly #ports: ModernPorts;
  readonly #tools = new Map<string, ToolWithHeaders["headers"]>();
  #listing: Promise<void> | undefined;
  #hasListed = false;

  /** Knows no tool yet. */
  constructor(ports: ModernPorts) {
    this.#ports = ports;
  }

  async headers({ messages }: Pick<PostOfEra, "messages">): Promise<HeaderList> {
    const message = messages[0];
    if (message === undefined) return [];
    const headers = modernHeaders(message);
    if (message.method !== "tools/call") return headers;
    const name = mcpName(message) ?? "";
    if (!this.#tools.has(name) && !this.#hasListed) await this.#list();
    const tool = this.#tools.get(name);
    return tool?.kind === "valid" ? [...headers, ...paramHeaders(tool.params, message)] : headers;
  }

  opened(): void {}

  answered({ messages }: Pick<PostOfEra, "messages">, answer: Message): AnswerRuling {
    const method = messages[0]?.method;
    if (method === "tools/list") return this.#withoutInvalid(answer);
    if (method === "tools/call" && isHeaderMismatch(answer)) return { kind: "again" };
    return { kind: "pass" };
  }

  isLost(): boolean {
    return false;
  }

  /** Lists the tools again: the headers did not match, so the list may have changed. */
  async recover(): Promise<boolean> {
    await this.#list();
    return true;
  }

  #withoutInvalid(answer: Message): AnswerRuling {
    const tools = listedToolHeaders(answer);
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

  #learn(tools: readonly ToolWithHeaders[]): void {
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
      const answer = await askUpstream(this.#ports, { line, id: JSON.stringify(id), headers });
      if (answer?.message.result === undefined) return;
      const { bytes, result } = answer.message;
      this.#learn(listedToolHeaders(answer.message));
      const next = stringAt(bytes, valueAt(bytes, result, "nextCursor"));
      if (next === undefined || next === "" || next === cursor) return;
      cursor = next;
    }
  }
}

function isHeaderMismatch({ bytes, error }: Message): boolean {
  const code = valueAt(bytes, error, "code");
  return code !== undefined && spanText(bytes, code) === "-32020";
}
