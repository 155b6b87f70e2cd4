/**
 * What to make of an upstream's HTTP response, and when to connect again: the
 * rulings of a Streamable HTTP client, as pure functions.
 *
 * @module
 */

import { isJson, rootSpan, spanText, stringAt, valueAt } from "../json/json_spans.ts";

/** What a response to a POST carries. */
export type Carries = "json" | "events" | "nothing";

/** Reads a response's type. */
export function carries(status: number, contentType: string | null): Carries {
  if (status === 202 || status === 204) return "nothing";
  const type = (contentType ?? "").split(";")[0]?.trim().toLowerCase();
  if (type === "text/event-stream" && status >= 200 && status < 300) return "events";
  return type === "application/json" || type?.endsWith("+json") ? "json" : "nothing";
}

/**
 * Whether a refusal says that the session is gone, so that the request was not
 * looked at and may be sent again in a new session.
 *
 * The rule is 404. Some servers say 400 with words to that effect instead.
 *
 * A 404 that says the method is not found is about the request.
 *
 * @param status The response's status.
 * @param body The response's body, when it was JSON.
 * @returns Whether the session is lost; ask only when the request named one.
 */
export function isSessionLost(status: number, body: Uint8Array | undefined): boolean {
  const { code, message } = errorIn(body);
  if (status === 404) return code !== "-32601";
  return status === 400 && /^-3200[01]$/.test(code) &&
    /\bsession\b/i.test(message) &&
    /not found|no valid|invalid|unknown|expired|ended/i.test(message);
}

function errorIn(
  body: Uint8Array | undefined,
): { readonly code: string; readonly message: string } {
  if (body === undefined || !isJson(body)) return { code: "", message: "" };
  const error = valueAt(body, rootSpan(body), "error");
  const code = valueAt(body, error, "code");
  return {
    code: code === undefined ? "" : spanText(body, code),
    message: stringAt(body, valueAt(body, error, "message")) ?? "",
  };
}

/**
 * An event's id as `Last-Event-ID` can carry it; undefined when there is none to resume after: an
 * empty one takes back what was said before, and one beyond ASCII cannot be sent as it came.
 */
export function resumableId(id: string): string | undefined {
  return /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(id) ? id : undefined;
}

/** Statuses that mean: this server has no GET stream. Never that the session is dead. */
export function hasNoGetStream(status: number): boolean {
  return [400, 401, 403, 404, 405, 406, 410, 501].includes(status);
}

/** The longest wait before a stream is opened again. */
const MAX_DELAY_MS = 30_000;

/**
 * How long to wait before a stream is opened again. A clean end counts as one,
 * so that a server that closes at once is not asked in a storm.
 *
 * @param fruitless How many streams in a row ended without a message.
 * @param retryMs What the server asked for, if it did.
 * @returns Milliseconds.
 */
export function reopenDelayMs(fruitless: number, retryMs: number | undefined): number {
  const grown = Math.min(MAX_DELAY_MS, 500 * 2 ** Math.min(fruitless, 10));
  if (retryMs === undefined) return grown;
  return fruitless === 0 ? retryMs : Math.max(retryMs, grown);
}

/** How many times the stream of one request is taken up again before the request is lost. */
export const MAX_RESUMES = 8;

/** Why a request got no answer, for the host. */
export function lossText(status: number, what: Carries, hint: string | undefined): string {
  if (status >= 200 && status < 300) {
    if (what === "events") return "the upstream's event stream ended without the answer";
    if (what === "json") return `the upstream's answer is not the answer to this request`;
    return `the upstream answered with HTTP ${status} and no JSON-RPC message`;
  }
  if (status >= 300 && status < 400) return `the upstream redirects (HTTP ${status}); not followed`;
  return `the upstream refused the request: HTTP ${status}${hint === undefined ? "" : ` ${hint}`}`;
}
