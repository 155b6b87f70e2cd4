/**
 * HTTP hosts, an HTTP upstream: each exchange is forwarded as it is, in both
 * eras, and looked at for the log only. There is no session table: the upstream's
 * session ids pass through.
 *
 * Not forwarded are the headers of one connection (RFC 9110 §7.6.1), `Host` and
 * `Origin`, which name us, and the host's credentials, which are for us: the
 * upstream gets what `--upstream-header` says.
 *
 * @module
 */

import type { Host } from "../host/host.ts";
import { isJson } from "../wire/json_spans.ts";
import { idText, readMessages } from "../wire/message.ts";
import { errorResponse, INTERNAL_ERROR } from "../wire/rpc_error.ts";
import type { HttpJob } from "./http_job.ts";
import { HttpLogs } from "./http_logs.ts";
import type { ListenBackend } from "./listen_server.ts";
import { networkFault } from "./upstream_link.ts";

/** Headers of a request that end here. */
const NOT_UP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "host",
  "origin",
  "authorization",
  "cookie",
  "content-length",
  "accept-encoding",
  "hoist-session",
]);
/** Headers of a response that end here; its body is decoded when it comes. */
const NOT_DOWN = new Set([
  "connection",
  "keep-alive",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "content-length",
  "content-encoding",
]);

/** Forwards HTTP exchanges. */
export class HttpBackend implements ListenBackend {
  readonly #url: string;
  readonly #headers: HttpJob["headers"];
  readonly #host: Host;
  readonly #logs: HttpLogs | undefined;

  /** Forwards to the job's upstream. */
  constructor(job: HttpJob, host: Host) {
    this.#url = job.options.upstream?.url ?? "";
    this.#headers = job.headers;
    this.#host = host;
    this.#logs = job.options.record === undefined ? undefined : new HttpLogs(job, host);
  }

  post(body: Uint8Array, request: Request): Promise<Response> {
    return this.#forward(request, body);
  }

  get(request: Request): Promise<Response> {
    return this.#forward(request);
  }

  delete(request: Request): Promise<Response> {
    return this.#forward(request);
  }

  async stop(): Promise<void> {
    await this.#logs?.close();
  }

  async #forward(request: Request, body?: Uint8Array): Promise<Response> {
    const logs = this.#logs;
    const tap = body === undefined
      ? logs?.tapOf(request.headers)
      : logs?.request(body, request.headers);
    let response: Response;
    try {
      response = await fetch(this.#url, {
        method: request.method,
        headers: [
          ...[...request.headers].filter(([name]) => !NOT_UP.has(name)),
          ...this.#headers.map(([name, value]): [string, string] => [name, value]),
        ],
        redirect: "manual",
        signal: request.signal,
        ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
      });
    } catch (error) {
      const message = `cannot reach the upstream: ${networkFault(error)}`;
      const line = errorResponse(idOf(body), INTERNAL_ERROR, message);
      const isGone = request.signal.aborted;
      if (!isGone) tap?.proxy(line);
      if (tap !== undefined) logs?.release(tap);
      if (isGone) return new Response(null, { status: 499 });
      this.#host.say(message);
      return new Response(line as Uint8Array<ArrayBuffer>, {
        status: 502,
        headers: { "content-type": "application/json" },
      });
    }
    const headers = [...response.headers].filter(([name]) => !NOT_DOWN.has(name));
    const { status } = response;
    let forwarded = response.body;
    if (logs !== undefined && tap !== undefined) {
      logs.opened(tap, { request, response });
      if (forwarded === null) logs.release(tap);
      else forwarded = logs.tapped(tap, forwarded, response.headers.get("content-type"));
    }
    return new Response(status === 204 || status === 304 ? null : forwarded, {
      status,
      headers,
    });
  }
}

/** The id of the request a body holds, as written. */
function idOf(body: Uint8Array | undefined): string {
  if (body === undefined || !isJson(body)) return "null";
  const [first] = readMessages(body).messages;
  return first?.kind === "request" ? idText(first) ?? "null" : "null";
}
