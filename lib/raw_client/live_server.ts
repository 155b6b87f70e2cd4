/**
 * A server under test as a child process: the host's answers are the recorded ones.
 *
 * @module
 */

import { at, isObject } from "../json/json.ts";
import type { StartLiveServer } from "../check/live_server.ts";
import { RawClient } from "./raw_client.ts";

/** A server that starts, or works, longer than this gives no answer. */
const ANSWER_MS = 120_000;

/**
 * Makes the starter of servers.
 *
 * @param say Takes what is to be said on stderr.
 * @returns Starts a server.
 */
export function serverStarter(say: (line: string) => void): StartLiveServer {
  return (command, answer) => {
    const client: RawClient = new RawClient({
      command,
      say,
      onMessage: ({ id, method }) => {
        const result = id === undefined || typeof method !== "string" ? undefined : answer(method);
        if (result === undefined) return false;
        client.send({ jsonrpc: "2.0", id, result });
        return true;
      },
    });
    return {
      request: async (method, params) => {
        const { value } = await client.request(method, params, ANSWER_MS);
        const [result, error] = [at(value, "result"), at(value, "error")];
        return {
          result: isObject(result) ? result : undefined,
          error: isObject(error) ? error : undefined,
        };
      },
      notify: (method) => client.send({ jsonrpc: "2.0", method }),
      close: () => client.close(),
    };
  };
}
