/**
 * Forwards exchanges between HTTP hosts and an HTTP upstream as they are, in both
 * eras, and reads them for the log only. There is no session table: the upstream's
 * session ids pass through.
 *
 * @module
 */

import { redactUrl } from "../log/redact_url.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { ProxyOptions } from "../proxy_options/proxy_flags.ts";
import { sessionLogs } from "../relay/session_log.ts";
import { hasNoBody, requestHeaders, responseHeaders } from "../session/listen/forwarded_headers.ts";
import { endsSession } from "../session/listen/log_table.ts";
import { mayBeOld } from "../session/upstream/found_link.ts";
import type { HeaderList } from "../session/upstream/link.ts";
import { readJsonRpc, writtenId } from "../wire/message.ts";
import { isReadable } from "../wire/reading.ts";
import { errorResponse, INTERNAL_ERROR } from "../wire/rpc_error.ts";
import type { ExchangePorts } from "./exchange_ports.ts";
import type { InterceptedExchanges } from "./intercepted_exchanges.ts";
import { HttpLogs } from "./http_logs.ts";
import type { LogTap } from "../relay/log_tap.ts";
import type { ListenBackend } from "./listen_server.ts";
import { type UpstreamAuth, UpstreamFetch } from "../http_client/upstream_fetch.ts";
import type { UpstreamNetwork } from "../http_client/upstream_network.ts";
import { reasonOf } from "../text/reason.ts";

/** The parts of the proxy's job that forwarding needs. */
export interface HttpBackendJob {
  /** The flags. */
  readonly options: Pick<ProxyOptions, "upstream" | "record">;
  /** Headers for the upstream, values included. */
  readonly headers: HeaderList;
  /** The network toward the upstream. */
  readonly network: UpstreamNetwork;
  /** The user's sign-in there. */
  readonly auth?: UpstreamAuth | undefined;
}

/** Forwards HTTP exchanges. */
export class HttpBackend implements ListenBackend {
  readonly #url: string;
  readonly #headers: HeaderList;
  readonly #fetcher: UpstreamFetch;
  readonly #runtime: Runtime;
  readonly #logs: HttpLogs | undefined;
  readonly #intercepted: InterceptedExchanges | undefined;
  #hasSaidOld = false;

  /** Forwards to the job's upstream; `intercept` puts interceptors before some exchanges. */
  constructor(
    job: HttpBackendJob,
    runtime: Runtime,
    intercept?: (ports: Omit<ExchangePorts, "chains">) => InterceptedExchanges,
  ) {
    this.#url = job.options.upstream?.url ?? "";
    this.#headers = job.headers;
    this.#fetcher = new UpstreamFetch(this.#url, job.network, job.auth);
    this.#runtime = runtime;
    const { record } = job.options;
    this.#logs = record && new HttpLogs(sessionLogs(record, [redactUrl(this.#url)], runtime));
    this.#intercepted = intercept?.({
      runtime,
      link: { url: this.#url, headers: this.#headers, network: job.network, auth: job.auth },
      forward: async (request, body, log) =>
        (await this.#exchange(request, body, { log })).response,
      log: (headers, isOpening) => this.#logs?.of(headers, isOpening),
      release: (log) => this.#logs?.release(log),
    });
  }

  post(body: Uint8Array, request: Request): Promise<Response> {
    return this.#intercepted?.post(body, request) ?? this.#forward(request, body);
  }

  get(request: Request): Promise<Response> {
    return this.#intercepted?.get(request) ?? this.#forward(request);
  }

  delete(request: Request): Promise<Response> {
    return this.#forward(request);
  }

  async stop(): Promise<void> {
    await this.#intercepted?.close();
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
      response = await this.#fetcher.send({
        method: request.method,
        headers: requestHeaders([...request.headers], this.#headers),
        body,
        signal: request.signal,
      });
    } catch (error) {
      if (request.signal.aborted) {
        return { response: new Response(null, { status: 499 }), isOurs: true };
      }
      return this.#badGateway(reasonOf(error), body, tap);
    }
    const { status } = response;
    if (status > 599) {
      await response.body?.cancel();
      return this.#badGateway(`the upstream answered with HTTP ${status}`, body, tap);
    }
    if (body !== undefined) this.#noteOld(body, status);
    const headers = responseHeaders([...response.headers]);
    this.#noteEnd(request, response);
    if (log !== undefined) this.#logs?.opened(log, { request, response });
    const isEmpty = hasNoBody(status, [...response.headers]);
    if (isEmpty) await response.body?.cancel(); // Left unread it would stay open.
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

  /** A server of the first transport is not served here: what is forwarded would lead nowhere. */
  #noteOld(body: Uint8Array, status: number): void {
    if (this.#hasSaidOld || !isReadable(body) || !mayBeOld(body, status)) return;
    this.#hasSaidOld = true;
    this.#runtime.say(
      `the upstream refuses initialize with HTTP ${status}; if it speaks HTTP+SSE of 2024-11-05, ` +
        "run: hoist-mcp --listen ADDR -- hoist-mcp --upstream URL",
    );
  }

  #noteEnd(request: Request, response: Response): void {
    const session = request.headers.get("mcp-session-id");
    if (session !== null && endsSession(request.method, response.status)) {
      this.#intercepted?.ended(session);
    }
  }
}

/** The id of the request a body holds, as written. */
function idOf(body: Uint8Array | undefined): string {
  if (body === undefined || !isReadable(body)) return "null";
  const [first] = readJsonRpc(body).messages;
  return first?.kind === "request" ? writtenId(first) ?? "null" : "null";
}
