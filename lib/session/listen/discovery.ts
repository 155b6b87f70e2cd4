/**
 * Asks a server on stdio whether it is modern, and for the list of its tools.
 *
 * @module
 */

import { elements, spanText, stringAt, valueAt } from "../../json/json_spans.ts";
import type { Message } from "../../wire/message.ts";

/** A request of the proxy. */
export interface DiscoveryRequest {
  /** Its method. */
  readonly method: string;
  /** Its parameters, without `_meta`. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Its timeout. */
  readonly timeoutMs: number;
}

/** Sends a request of the proxy; undefined when no answer comes in time. */
export type AskServer = (request: DiscoveryRequest) => Promise<Message | undefined>;

/** Timeout of `server/discover`: a server that installs itself takes long to start. */
const DISCOVER_MS = 30_000;
/** Timeout of a page of `tools/list`. */
const LIST_MS = 5_000;
/** Most pages of a list that are asked for. */
const MAX_PAGES = 50;

/**
 * Asks a server whether it is modern.
 *
 * @param ask Sends a request.
 * @returns The revisions that it names; undefined when it is legacy.
 */
export async function discoverVersions(ask: AskServer): Promise<string[] | undefined> {
  const answer = await ask({ method: "server/discover", params: {}, timeoutMs: DISCOVER_MS });
  if (answer?.result === undefined && errorCode(answer) !== -32022) return undefined;
  if (answer === undefined) return [];
  const { bytes, result, error } = answer;
  const list = valueAt(bytes, result, "supportedVersions") ??
    valueAt(bytes, error, "data", "supported");
  return list === undefined
    ? []
    : elements(bytes, list).flatMap((item) => stringAt(bytes, item) ?? []);
}

/** Asks for all pages of the list of tools. An empty or repeated cursor ends the list. */
export async function listPages(ask: AskServer, onPage: (page: Message) => void): Promise<void> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await ask({ method: "tools/list", params, timeoutMs: LIST_MS });
    if (answer?.result === undefined) return;
    onPage(answer);
    const next = stringAt(answer.bytes, valueAt(answer.bytes, answer.result, "nextCursor"));
    if (next === undefined || next === "" || next === cursor) return;
    cursor = next;
  }
}

/** The code of an error response. */
export function errorCode(answer: Message | undefined): number | undefined {
  if (answer?.error === undefined) return undefined;
  const code = valueAt(answer.bytes, answer.error, "code");
  return code === undefined ? undefined : Number(spanText(answer.bytes, code));
}
