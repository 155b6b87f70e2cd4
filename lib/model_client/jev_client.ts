/**
 * The live oracle: TypeSafe's System One over HTTP, through its SDK.
 *
 * The SDK is loaded with the first client. The key is sent in one header only; no message holds it.
 *
 * @module
 */

import type { RetryPolicy, SystemOneRequest, TypeSafeClient } from "@typesafe-ai/sdk";
import { MAX_TRIES } from "../oracle/budget.ts";
import { errorText, readResponse } from "../oracle/jev_codec.ts";
import type { Oracle, OracleReply } from "../oracle/oracle.ts";
import { DEFAULT_MODEL, type OracleRequest } from "../oracle/question.ts";

/** Options for {@linkcode jevOracle}. */
export interface JevOptions {
  readonly key: string;
  /** The API's root, without `/v1`. */
  readonly baseUrl: string;
  /** Timeout of one try, in milliseconds. Default 10,000. */
  readonly tryMs?: number;
  /** Timeout of one request with its retries, in milliseconds. Default 30,000. */
  readonly totalMs?: number;
  /** Changes to retries and back-off. */
  readonly retry?: Partial<RetryPolicy>;
  readonly monotonicMs: () => number;
  /** Called once per reason when a request fails. */
  readonly say: (line: string) => void;
}

/** The default API root. */
export const JEV_BASE_URL = "https://api.typesafe.ai";

/** Statuses that are retried. */
const RETRIED = new Set([408, 425, 429, 500, 502, 503, 504, 529]);
/** After this many failures in a row, requests pause for a while. */
const MAX_FAILURES = 5;
const PAUSE_MS = 30_000;

/**
 * Makes the live oracle.
 *
 * @param options Key, address and limits.
 * @returns The oracle.
 * @throws {Error} When the key must not be sent to this address.
 */
export async function jevOracle(options: JevOptions): Promise<Oracle> {
  const { key, tryMs = 10_000 } = options;
  const baseURL = checkedUrl(options.baseUrl);
  const { APITimeoutError, APIUserAbortError, TypeSafeClient } = await import("@typesafe-ai/sdk");
  const client = new TypeSafeClient({
    apiKey: key,
    baseURL,
    timeout: tryMs,
    // Every request names its model; a value here keeps the SDK from reading the environment,
    // which a running session has no permission for.
    defaultModel: DEFAULT_MODEL,
    logLevel: "off",
    retry: { maxRetries: MAX_TRIES - 1, httpStatuses: RETRIED, ...options.retry },
    // A redirect could carry the key to another host.
    fetch: (url, init) => fetch(url, { ...init, redirect: "manual" }),
  });
  // By class: a bundler may rename classes, and the SDK's errors take their names from them.
  const isTimeout = (error: unknown) =>
    error instanceof APITimeoutError || error instanceof APIUserAbortError;
  return new JevClient(client, options, isTimeout);
}

class JevClient implements Oracle {
  readonly #client: TypeSafeClient;
  readonly #options: JevOptions;
  readonly #isTimeout: (error: unknown) => boolean;
  readonly #said = new Set<string>();
  #refused: string | undefined;
  #failures = 0;
  #pausedUntil = -Infinity;

  constructor(
    client: TypeSafeClient,
    options: JevOptions,
    isTimeout: (error: unknown) => boolean,
  ) {
    this.#isTimeout = isTimeout;
    this.#client = client;
    this.#options = options;
  }

  async ask(request: OracleRequest): Promise<OracleReply> {
    if (this.#refused !== undefined) return { unavailable: this.#refused };
    if (this.#options.monotonicMs() < this.#pausedUntil) return { unavailable: "paused" };
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), this.#options.totalMs ?? 30_000);
    try {
      // The body has exactly the fields that the cache key is made of.
      const { model, state, questions } = request;
      const sent: SystemOneRequest = JSON.parse(JSON.stringify({ model, state, questions }));
      const body: unknown = await this.#client.systemOne(sent, { signal: limit.signal });
      const response = readResponse(request, body);
      if (response === undefined) {
        return this.#failed("bad_answer", "it does not fit the questions");
      }
      this.#failures = 0;
      return { response, source: "live" };
    } catch (error) {
      return this.#thrown(error);
    } finally {
      clearTimeout(timer);
    }
  }

  #thrown(error: unknown): OracleReply {
    if (this.#isTimeout(error)) return this.#failed("timeout", "it took too long");
    if (!(error instanceof Error)) return this.#failed("failed", "");
    if ("status" in error && typeof error.status === "number") {
      const reason = `http_${error.status}`;
      if (error.status === 401 || error.status === 403) this.#refused = reason;
      return this.#failed(reason, errorText("body" in error ? error.body : "", this.#options.key));
    }
    return this.#failed("connection", errorText(error.message, this.#options.key));
  }

  #failed(reason: string, words: string): OracleReply {
    if (++this.#failures >= MAX_FAILURES) {
      this.#failures = 0;
      this.#pausedUntil = this.#options.monotonicMs() + PAUSE_MS;
    }
    if (!this.#said.has(reason)) {
      this.#said.add(reason);
      const end = this.#refused === undefined ? "" : "; it is not asked again";
      this.#options.say(`the oracle gives no answer (${reason})${words && `: ${words}`}${end}`);
    }
    return { unavailable: reason };
  }
}

/** Refuses plain HTTP to other machines, and URLs with credentials, which messages would show. */
function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url?.hostname ?? "");
  const isAllowed = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback);
  if (url === undefined || !isAllowed || url.username !== "" || url.password !== "") {
    const shown = url === undefined ? "it is no URL" : `${url.protocol}//${url.host}`;
    throw new Error(
      `Cannot ask at TYPESAFE_BASE_URL (${shown}): it has to be https, or http on this machine, ` +
        "without a user name",
    );
  }
  return text.replace(/\/+$/, "");
}
