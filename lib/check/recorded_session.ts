/**
 * The host's side of a recorded session, as it is played to another server.
 *
 * @module
 */

import type { JsonObject } from "../json/json.ts";
import type { SessionLog } from "../log/log.ts";
import { Pairer, type WireExchange } from "../trace/pairing.ts";
import { messagesOf } from "../trace/wire_messages.ts";

/** A recorded answer: a result or an error. */
export interface RecordedAnswer {
  readonly result: JsonObject | undefined;
  readonly error: JsonObject | undefined;
}

/** A request of the host, and what the server answered. */
export interface RecordedRequest {
  /** Its line in the log. */
  readonly line: number;
  readonly method: string;
  readonly params: JsonObject;
  /** Undefined when the server did not answer. */
  readonly answer: RecordedAnswer | undefined;
}

/** What was said in one session. */
export interface RecordedSession {
  /** Params of its `initialize`; undefined in a session of the modern era. */
  readonly initialize: JsonObject | undefined;
  /** The host's other requests, in their order. */
  readonly requests: readonly RecordedRequest[];
  /** What the host answered to the server's requests, by method, in order. */
  readonly hostAnswers: ReadonlyMap<string, readonly JsonObject[]>;
}

/**
 * Takes a session apart.
 *
 * @param log The session.
 * @returns What was said.
 */
export function recordedSession(log: SessionLog): RecordedSession {
  const pairer = new Pairer();
  const lines = new Map<WireExchange, number>();
  let index = 0;
  for (const line of log.lines) {
    const messages = messagesOf(line, index);
    index += messages.length;
    for (const message of messages) {
      const exchange = pairer.take(message);
      if (exchange !== undefined && message.kind === "request") lines.set(exchange, line.line);
    }
  }
  const fromHost = [...lines].filter(([{ request }]) => request.from === "client");
  const requests = fromHost.map(([{ request, answers }, line]) => ({
    line,
    method: request.method,
    params: request.params,
    // What a proxy put in its place is not the server's.
    answer: answers.find(({ from }) => from === "server"),
  }));
  const hostAnswers = new Map<string, JsonObject[]>();
  for (const [{ request, answers: [answer] }] of lines) {
    if (request.from !== "server" || answer?.result === undefined) continue;
    const same = hostAnswers.get(request.method);
    if (same === undefined) hostAnswers.set(request.method, [answer.result]);
    else same.push(answer.result);
  }
  return {
    initialize: requests.find(({ method }) => method === "initialize")?.params,
    requests: requests.filter(({ method }) => method !== "initialize"),
    hostAnswers,
  };
}
