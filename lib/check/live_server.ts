/**
 * A server under test, as `hoist check` plays sessions to it.
 *
 * @module
 */

import type { RecordedAnswer } from "./recorded_session.ts";
import type { JsonObject } from "../json/json.ts";

/** An open session. */
export interface LiveServer {
  /** Sends a request; rejects when no answer comes. */
  request(method: string, params: JsonObject): Promise<RecordedAnswer>;
  /** Sends a notification. */
  notify(method: string): void;
  /** Ends the session. */
  close(): Promise<void>;
}

/** Starts a server; `answer` gives the host's answer to a request of the server's. */
export type StartLiveServer = (
  command: readonly string[],
  answer: (method: string) => JsonObject | undefined,
) => LiveServer;
