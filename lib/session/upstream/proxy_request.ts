/**
 * Requests that the proxy makes to an upstream itself: to open a session in place
 * of a lost one, and to list tools. The log has them as the proxy's, with ids
 * `hoist-<n>`.
 *
 * @module
 */

import { carries } from "../../mcp/upstream_rules.ts";
import { isMessageEvent } from "../../wire/event_stream.ts";
import { type Message, oneLine, readJsonRpc, writtenId } from "../../wire/message.ts";
import { isReadable, withoutMark } from "../../wire/reading.ts";
import type { LineLog } from "../line_log.ts";
import type { HeaderList, UpstreamLink } from "./link.ts";

/** Ports of the proxy's own requests. */
export interface ProxyRequestPorts {
  /** The endpoint. */
  readonly link: UpstreamLink;
  /** The session's log. */
  readonly tap: LineLog | undefined;
}

/** The answer to a request of the proxy. */
export interface ProxyAnswer {
  /** The answer. */
  readonly message: Message;
  /** The session id of the response. */
  readonly session: string | undefined;
}

/** A request of the proxy, ready to send. */
export interface ProxyRequest {
  /** The request. */
  readonly line: Uint8Array;
  /** Its id as written. */
  readonly id: string;
  /** Its headers. */
  readonly headers: HeaderList;
}

/** Timeout of a request of the proxy, body included. */
const TIMEOUT_MS = 30_000;

/**
 * Sends a request of the proxy and waits for its answer.
 *
 * @param ports The endpoint and the log.
 * @param request The request.
 * @returns The answer; undefined when none came.
 */
export async function askUpstream(
  ports: ProxyRequestPorts,
  { line, id, headers }: ProxyRequest,
): Promise<ProxyAnswer | undefined> {
  ports.tap?.proxy(line);
  try {
    const response = await ports.link.post(line, headers, { withinMs: TIMEOUT_MS });
    const { session } = response;
    const what = carries(response.status, response.contentType);
    if (what === "nothing") {
      await response.discard();
    } else if (what === "json") {
      return answerIn(ports, await response.body(), { id, session });
    } else {
      for await (const event of response.events()) {
        const answer = isMessageEvent(event)
          ? answerIn(ports, event.data, { id, session })
          : undefined;
        if (answer !== undefined) return answer;
      }
    }
  } catch {
    // Not reachable, or too slow: no answer.
  }
  return undefined;
}

function answerIn(
  { tap }: ProxyRequestPorts,
  bytes: Uint8Array | undefined,
  { id, session }: { readonly id: string; readonly session: string | undefined },
): ProxyAnswer | undefined {
  if (bytes === undefined || !isReadable(bytes)) return undefined;
  const line = oneLine(withoutMark(bytes));
  tap?.serverLine(line);
  const message = readJsonRpc(line).messages[0];
  return message?.kind === "response" && writtenId(message) === id
    ? { message, session }
    : undefined;
}
