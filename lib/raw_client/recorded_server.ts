/**
 * A server for what was not recorded, behind `hoist-mcp --record`: its answers make a log of their own.
 *
 * @module
 */

import { at, isObject, type JsonObject } from "../json/json.ts";
import type { LiveRequest } from "../tape/tape_player.ts";
import { RawClient } from "./raw_client.ts";

/** A request longer than this gets an error. */
const ANSWER_MS = 120_000;

/** The server, which is started when it is first needed. */
export class RecordedServer {
  readonly #start: () => RawClient;
  #client: Promise<RawClient> | undefined;

  /**
   * Starts nothing yet.
   *
   * @param command The proxy's command line, which records the server.
   * @param say Takes what is to be said on stderr.
   */
  constructor(command: readonly string[], say: (line: string) => void) {
    this.#start = () => new RawClient({ command, say });
  }

  /**
   * Asks the server.
   *
   * @param request The request, as the host sent it.
   * @param hello Params of the host's `initialize`; undefined in a session of the modern era.
   * @returns The line of the answer.
   * @throws {Error} When there is none.
   */
  async ask({ method, params }: LiveRequest, hello: JsonObject | undefined): Promise<Uint8Array> {
    this.#client ??= opened(this.#start(), hello);
    const client = await this.#client;
    return (await client.request(method, params, ANSWER_MS)).line;
  }

  /** Ends the server; settles when it has ended. */
  async close(): Promise<void> {
    await this.#client?.then((client) => client.close(), () => {});
  }
}

async function opened(client: RawClient, hello: JsonObject | undefined): Promise<RawClient> {
  if (hello === undefined) return client;
  const { value } = await client.request("initialize", hello, ANSWER_MS);
  if (!isObject(at(value, "result"))) {
    throw new Error(`the server refuses the session: ${JSON.stringify(at(value, "error"))}`);
  }
  client.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return client;
}
