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

import type { Runtime } from "../ports/runtime.ts";
import { isJson } from "../json/json_spans.ts";
import { readJsonRpc, writtenId } from "../wire/message.ts";
import { errorResponse, INTERNAL_ERROR } from "../wire/rpc_error.ts";
import type { HttpActing, HttpActingPorts } from "../proxy/http_acting.ts";
import type { WorkerJob } from "../proxy/worker_job.ts";
import { HttpLogs } from "./http_logs.ts";
import type { LogTap } from "../relay/log_tap.ts";
import type { ListenBackend } from "./listen_server.ts";
import { networkFault } from "../http_client/network_fault.ts";

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
/** Headers of a response that end here. */
const NOT_DOWN = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authentication-info",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Headers of a body that the runtime has unpacked, which some versions leave in place. */
const PACKED = new Set([...NOT_DOWN, "content-length", "content-encoding"]);
/** Statuses without a body. */
const EMPTY = [204, 205, 304];

/** Forwards HTTP exchanges. */
export class HttpBackend implements ListenBackend {
  readonly #url: string;
  readonly #headers: WorkerJob["headers"];
  readonly #runtime: Runtime;
  readonly #logs: HttpLogs | undefined;
  readonly #acting: HttpActing | undefined;

  /** Forwards to the job's upstream; `acting` acts on some exchanges first. */
  constructor(
    job: WorkerJob,
    runtime: Runtime,
    acting?: (ports: Omit<HttpActingPorts, "mode">) => HttpActing,
  ) {
    this.#url = job.options.upstream?.url ?? "";
    this.#headers = job.headers;
    this.#runtime = runtime;
    this.#logs = job.options.record === undefined ? undefined : new HttpLogs(job, runtime);
    this.#acting = acting?.({
      runtime,
      link: { url: this.#url, headers: this.#headers },
      forward: async (request, body, log) =>
        (await this.#exchange(request, body, { log })).response,
      log: (headers, isOpening) => this.#logs?.of(headers, isOpening),
      release: (log) => this.#logs?.release(log),
    });
  }

  post(body: Uint8Array, request: Request): Promise<Response> {
    return this.#acting?.post(body, request) ?? this.#forward(request, body);
  }

  get(request: Request): Promise<Response> {
    return this.#acting?.get(request) ?? this.#forward(request);
  }

  delete(request: Request): Promise<Response> {
    return this.#forward(request);
  }

  async stop(): Promise<void> {
    await this.#acting?.close();
    await this.#logs?.close();
  }

  /** Forwards an exchange as it is, recorded as it goes by. */
  async #forward(request: Request, body?: Uint8Array): Promise<Response> {
    const logs = this.#logs;
    const tap = body === undefined
      ? logs?.tapOf(request.headers)
      : logs?.request(body, request.headers);
    const { response, isOurs } = await this.#exchange(request, body, { tap, log: tap });
    if (tap === undefined || logs === undefined) return response;
    if (isOurs || response.body === null) {
      logs.release(tap);
      return response;
    }
    const { status, headers } = response;
    const tapped = logs.tapped(tap, response.body, headers.get("content-type"));
    return new Response(tapped, { status, headers });
  }

  async #exchange(
    request: Request,
    body: Uint8Array | undefined,
    { tap, log }: {
      /** Where an answer of ours is recorded. */
      readonly tap?: LogTap | undefined;
      /** The log that a session which begins with it keeps. */
      readonly log: LogTap | undefined;
    },
  ): Promise<{ readonly response: Response; readonly isOurs: boolean }> {
    let response: Response;
    try {
      response = await fetch(this.#url, {
        method: request.method,
        headers: [
          ...endToEnd(request.headers, NOT_UP),
          ...this.#headers.map(([name, value]): [string, string] => [name, value]),
        ],
        redirect: "manual",
        signal: request.signal,
        ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
      });
    } catch (error) {
      if (request.signal.aborted) {
        return { response: new Response(null, { status: 499 }), isOurs: true };
      }
      return this.#badGateway(`cannot reach the upstream: ${networkFault(error)}`, body, tap);
    }
    const { status } = response;
    if (status > 599) {
      await response.body?.cancel();
      return this.#badGateway(`the upstream answered with HTTP ${status}`, body, tap);
    }
    const isUnpacked = /^(?:gzip|br)$/i.test(response.headers.get("content-encoding") ?? "");
    const headers = endToEnd(response.headers, isUnpacked ? PACKED : NOT_DOWN);
    this.#noteEnd(request, response);
    if (log !== undefined) this.#logs?.opened(log, { request, response });
    const isEmpty = EMPTY.includes(status) || response.headers.get("content-length") === "0";
    const shaped = new Response(isEmpty ? null : response.body, { status, headers });
    return { response: shaped, isOurs: false };
  }

  #badGateway(message: string, body: Uint8Array | undefined, tap: LogTap | undefined) {
    const line = errorResponse(idOf(body), INTERNAL_ERROR, message);
    tap?.proxy(line);
    this.#runtime.say(message);
    const headers = { "content-type": "application/json" };
    const response = new Response(line as Uint8Array<ArrayBuffer>, { status: 502, headers });
    return { response, isOurs: true };
  }

  #noteEnd(request: Request, response: Response): void {
    const session = request.headers.get("mcp-session-id");
    const isOver = request.method === "DELETE" ? response.ok : response.status === 404;
    if (session !== null && isOver) this.#acting?.ended(session);
  }
}

/** The headers that go on: not those that end here, nor those that `Connection` names. */
function endToEnd(headers: Headers, ends: ReadonlySet<string>): [string, string][] {
  const named = (headers.get("connection") ?? "").toLowerCase().split(/[\s,]+/);
  return [...headers].filter(([name]) => !ends.has(name) && !named.includes(name));
}

/** The id of the request a body holds, as written. */
function idOf(body: Uint8Array | undefined): string {
  if (body === undefined || !isJson(body)) return "null";
  const [first] = readJsonRpc(body).messages;
  return first?.kind === "request" ? writtenId(first) ?? "null" : "null";
}
