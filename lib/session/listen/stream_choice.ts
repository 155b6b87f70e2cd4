/**
 * Chooses the stream for a message that a server sends on its own.
 *
 * Progress goes with the request whose token it names. Messages that usually
 * belong to a request go with the only waiting one. Others go to the GET stream,
 * without one to the newest waiting request, else they wait for a stream.
 *
 * @module
 */

import { spanText, valueAt } from "../../json/json_spans.ts";
import { idKey, type Message } from "../../wire/message.ts";

/** A waiting request, as far as the choice goes. */
export interface StreamCandidate {
  /** Keys of its progress tokens. */
  readonly tokens: readonly string[];
  /** Its reply. */
  readonly reply: { readonly canStream: boolean };
}

/** The stream for a message: a request's reply, the GET stream, or none yet. */
export type StreamChoice<Waiting> =
  | { readonly kind: "request"; readonly waiting: Waiting }
  | { readonly kind: "get" }
  | { readonly kind: "queue" };

/**
 * Chooses the stream.
 *
 * @param message A request or notification of the server.
 * @param waiting The waiting requests, oldest first.
 * @param hasGet Whether a GET stream is open.
 * @returns The stream.
 */
export function streamFor<Waiting extends StreamCandidate>(
  message: Message,
  waiting: readonly Waiting[],
  hasGet: boolean,
): StreamChoice<Waiting> {
  if (message.method === "notifications/progress") {
    const key = tokenKey(message, ["progressToken"]);
    const named = waiting.find(({ tokens }) => key !== undefined && tokens.includes(key));
    if (named !== undefined) return { kind: "request", waiting: named };
  }
  const open = waiting.filter(({ reply }) => reply.canStream);
  const [only] = open;
  if (only !== undefined && open.length === 1 && isOfARequest(message.method)) {
    return { kind: "request", waiting: only };
  }
  if (hasGet) return { kind: "get" };
  const newest = open.at(-1);
  return newest === undefined ? { kind: "queue" } : { kind: "request", waiting: newest };
}

/** The keys of the progress tokens that messages ask for. */
export function progressTokens(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => tokenKey(message, ["_meta", "progressToken"]) ?? []);
}

function tokenKey({ bytes, params }: Message, path: readonly string[]): string | undefined {
  const token = valueAt(bytes, params, ...path);
  return token === undefined ? undefined : idKey(spanText(bytes, token));
}

/** Whether servers usually send such a message in the middle of a request. */
function isOfARequest(method: string | undefined): boolean {
  return method !== undefined && (!method.startsWith("notifications/") ||
    method === "notifications/message" || method === "notifications/progress" ||
    method === "notifications/elicitation/complete");
}
