/**
 * Requests the proxy makes of an upstream on its own: for a new session in the
 * place of a lost one, and for the list of tools. The log has them as the
 * proxy's, with ids `hoist-<n>`.
 *
 * @module
 */

import { carries } from "../mcp/upstream_rules.ts";
import { isMessageEvent } from "../wire/event_stream.ts";
import { isJson } from "../json/json_spans.ts";
import { type Message, oneLine, readJsonRpc, writtenId } from "../wire/message.ts";
import type { LogTap } from "../relay/log_tap.ts";
import { bodyOf, eventsOf } from "../relay/response_body.ts";
import type { Headers, UpstreamLink } from "./upstream_link.ts";

/** What a request of ours goes through. */
export interface AskPorts {
  /** The endpoint. */
  readonly link: UpstreamLink;
  /** Records what crosses. */
  readonly tap: LogTap | undefined;
}

/** An answer to a request of ours. */
export interface OwnAnswer {
  /** The answer. */
  readonly message: Message;
  /** The session id that came with it. */
  readonly session: string | undefined;
}

/** How long a request of ours may take. */
const PATIENCE_MS = 30_000;

/**
 * Asks the upstream.
 *
 * @param ports What it goes through.
 * @param line The request.
 * @param id Its id, as written.
 * @param headers Its headers.
 * @returns The answer; undefined when none came.
 */
export async function ask(
  ports: AskPorts,
  line: Uint8Array,
  id: string,
  headers: Headers,
): Promise<OwnAnswer | undefined> {
  ports.tap?.proxy(line);
  try {
    const response = await ports.link.post(line, headers, AbortSignal.timeout(PATIENCE_MS));
    const session = response.headers.get("mcp-session-id") ?? undefined;
    const what = carries(response.status, response.headers.get("content-type"));
    if (what === "nothing") {
      await response.body?.cancel();
      return undefined;
    }
    if (what === "json") {
      const body = await bodyOf(response);
      return isJson(body) ? own(ports, body, id, session) : undefined;
    }
    for await (const event of eventsOf(response)) {
      if (!isMessageEvent(event) || !isJson(event.data)) continue;
      const answer = own(ports, event.data, id, session);
      if (answer !== undefined) return answer;
    }
  } catch {
    // Not reachable, or too slow: no answer.
  }
  return undefined;
}

function own(
  { tap }: AskPorts,
  bytes: Uint8Array,
  id: string,
  session: string | undefined,
): OwnAnswer | undefined {
  const line = oneLine(bytes);
  tap?.serverLine(line);
  const message = readJsonRpc(line).messages[0];
  return message?.kind === "response" && writtenId(message) === id
    ? { message, session }
    : undefined;
}
