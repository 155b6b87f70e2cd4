/**
 * A System One server on loopback for tests: the two routes, scripted replies, and a
 * record of what it was sent.
 *
 * @module
 */

import { mockOracle } from "../../lib/oracle/mock.ts";
import type { OracleRequest } from "../../lib/oracle/question.ts";

/** A scripted reply; without a status the request is answered by the mock. */
export interface ScriptedReply {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Gives no answer until the server is stopped. */
  readonly hangs?: true;
}

/** What the server was sent. */
export interface ServerRequest {
  readonly path: string;
  readonly authorization: string | null;
  readonly retry: string | null;
  readonly body: OracleRequest;
}

/** A running server. */
export interface JevServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ServerRequest[];
}

/**
 * Starts a server.
 *
 * @param script Replies in order; after the last, the mock answers.
 * @returns The server.
 */
export function jevServer(script: readonly ScriptedReply[] = []): JevServer {
  const requests: ServerRequest[] = [];
  const closing = Promise.withResolvers<void>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (req) => {
    const { pathname } = new URL(req.url);
    const body: OracleRequest = await req.json();
    const { headers } = req;
    requests.push({
      path: pathname,
      authorization: headers.get("authorization"),
      retry: headers.get("x-typesafe-retry-count"),
      body,
    });
    const reply = script[requests.length - 1] ?? {};
    if (reply.hangs) await closing.promise;
    if (pathname !== "/v1/systemone") {
      return Response.json({ detail: "Not Found" }, { status: 404 });
    }
    const mocked = mockOracle().find(body);
    const usual = {
      ...mocked,
      model: "jev-1.13.0",
      usage: { input_tokens: 318, output_tokens: 34 },
    };
    return Response.json(reply.body ?? usual, {
      status: reply.status ?? 200,
      headers: { "x-typesafe-request-id": "r-1", ...reply.headers },
    });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests,
    [Symbol.asyncDispose]: () => {
      closing.resolve();
      return server.shutdown();
    },
  };
}
