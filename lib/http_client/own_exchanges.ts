/**
 * Requests of the proxy's own to an HTTP upstream, in the session of a host: with
 * its session id, or in the modern era with the headers that go with the message.
 *
 * @module
 */

import type { Chain } from "../intercept/chain/chain.ts";
import { modernVersion } from "../mcp/era.ts";
import { carries } from "../mcp/upstream_rules.ts";
import { isMessageEvent } from "../wire/event_stream.ts";
import { spanText, valueAt } from "../json/json_spans.ts";
import { type Message, oneLine, readMessage, writtenId } from "../wire/message.ts";
import type { HeaderList, UpstreamLink } from "../session/upstream/link.ts";
import type { ModernEra } from "../session/upstream/modern_era.ts";

/** What own exchanges go through. */
export interface OwnExchangePorts {
  readonly link: UpstreamLink;
  readonly tools: ModernEra;
  readonly chain: () => Pick<Chain, "fromServer" | "lost">;
  /** The headers of the host's last request. */
  readonly headers: () => Headers;
}

/** How long a cancellation may take to arrive. */
const CANCEL_MS = 5_000;

/** The exchanges of one session. */
export class OwnExchanges {
  readonly #ports: OwnExchangePorts;
  /** Those under way, by id as written. */
  readonly #open = new Map<string, AbortController>();

  /** Starts with none. */
  constructor(ports: OwnExchangePorts) {
    this.#ports = ports;
  }

  /** Sends a request, or the cancellation of one; what comes back goes to the session. */
  async send(line: Uint8Array): Promise<void> {
    const message = readMessage(line);
    const id = writtenId(message);
    if (id === undefined) return await this.#cancel(message);
    const abort = new AbortController();
    this.#open.set(id, abort);
    const chain = this.#ports.chain();
    try {
      const headers = await this.#headers(message);
      const response = await this.#ports.link.post(line, headers, { signal: abort.signal });
      const what = carries(response.status, response.contentType);
      if (what === "events") {
        for await (const event of response.events()) {
          if (isMessageEvent(event)) chain.fromServer(oneLine(event.data));
        }
      } else if (what === "json") {
        const body = await response.body();
        if (body !== undefined) chain.fromServer(oneLine(body));
      } else await response.discard();
    } catch {
      // Not reachable, cut off or given up: there is no answer.
    }
    this.#open.delete(id);
    chain.lost(id);
  }

  async #cancel(message: Message): Promise<void> {
    const { bytes, params } = message;
    const id = valueAt(bytes, params, "requestId");
    if (id !== undefined) this.#open.get(spanText(bytes, id))?.abort();
    // In the modern era closing the stream says it all.
    if (this.#ports.headers().get("mcp-session-id") === null) return;
    try {
      const headers = await this.#headers(message);
      const response = await this.#ports.link.post(bytes, headers, { withinMs: CANCEL_MS });
      await response.discard();
    } catch {
      // It was only good manners.
    }
  }

  async #headers(message: Message): Promise<HeaderList> {
    const { tools, headers } = this.#ports;
    if (modernVersion(message) !== undefined) return await tools.headers({ messages: [message] });
    return ["mcp-session-id", "mcp-protocol-version"].flatMap((name) => {
      const value = headers().get(name);
      return value === null ? [] : [[name, value] as const];
    });
  }
}
