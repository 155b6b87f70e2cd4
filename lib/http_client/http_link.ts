/**
 * HTTP to one MCP endpoint: the requests of a Streamable HTTP client.
 *
 * @module
 */

import { bearerChallenge } from "../oauth/challenge.ts";
import { SignInError } from "../oauth/sign_in.ts";
import { bodyOf, eventsOf } from "../relay/response_body.ts";
import type {
  HeaderList,
  SendLimits,
  UpstreamLink,
  UpstreamResponse,
} from "../session/upstream/link.ts";
import { type UpstreamAuth, UpstreamFetch, type UpstreamRequest } from "./upstream_fetch.ts";
import { PLAIN_NETWORK, type UpstreamNetwork } from "./upstream_network.ts";

/** The endpoint and the user's headers for it. */
export interface HttpLinkOptions {
  /** The endpoint. */
  readonly url: string;
  /** The user's own headers, such as a credential. */
  readonly headers: HeaderList;
  /**
   * The network toward it.
   *
   * @default {PLAIN_NETWORK}
   */
  readonly network?: UpstreamNetwork;
  /** The user's sign-in there. */
  readonly auth?: UpstreamAuth | undefined;
  /**
   * The URL that a sign-in is for.
   *
   * @default {url}
   */
  readonly signInUrl?: string;
  /** Tells the user of a sign-in that is needed, each line once: a host may show no error. */
  readonly say?: (line: string) => void;
}

/** One endpoint, over `fetch`. */
export class HttpLink implements UpstreamLink {
  readonly #headers: HeaderList;
  readonly #signInUrl: string;
  readonly #hasCredential: boolean;
  readonly #fetcher: UpstreamFetch;
  readonly #say: (line: string) => void;
  readonly #said = new Set<string>();

  /** Makes a link; nothing is connected yet. */
  constructor(options: HttpLinkOptions) {
    this.#headers = options.headers;
    const { url, network = PLAIN_NETWORK, auth, signInUrl = url } = options;
    this.#signInUrl = signInUrl;
    this.#say = options.say ?? (() => {});
    this.#hasCredential = auth !== undefined ||
      options.headers.some(([name]) => name.toLowerCase() === "authorization");
    this.#fetcher = new UpstreamFetch(url, network, auth, signInUrl);
  }

  post(body: Uint8Array, headers: HeaderList, limits: SendLimits): Promise<UpstreamResponse> {
    const own: HeaderList = [
      ["content-type", "application/json"],
      ["accept", "application/json, text/event-stream"],
    ];
    return this.#send({ method: "POST", headers: [...headers, ...own], body }, limits);
  }

  get(headers: HeaderList, limits: SendLimits): Promise<UpstreamResponse> {
    const own: HeaderList = [["accept", "text/event-stream"]];
    return this.#send({ method: "GET", headers: [...headers, ...own] }, limits);
  }

  delete(headers: HeaderList, limits: SendLimits): Promise<UpstreamResponse> {
    return this.#send({ method: "DELETE", headers }, limits);
  }

  async #send(
    request: Omit<UpstreamRequest, "signal">,
    limits: SendLimits,
  ): Promise<UpstreamResponse> {
    try {
      return await this.#ask(request, limits);
    } catch (error) {
      if (error instanceof SignInError && !this.#said.has(error.message)) {
        this.#said.add(error.message);
        this.#say(error.message);
      }
      throw error;
    }
  }

  async #ask(
    request: Omit<UpstreamRequest, "signal">,
    { signal, withinMs }: SendLimits,
  ): Promise<UpstreamResponse> {
    const limit = withinMs === undefined ? [] : [AbortSignal.timeout(withinMs)];
    const signals = [...signal === undefined ? [] : [signal], ...limit];
    const response = await this.#fetcher.send({
      ...request,
      headers: [...this.#headers, ...request.headers],
      signal: signals[1] === undefined ? signals[0] : AbortSignal.any(signals),
    });
    if (response.status === 401 && this.#needsSignIn(response)) {
      await response.body?.cancel();
      throw new SignInError("the upstream asks for a sign-in", this.#signInUrl);
    }
    return upstreamResponse(response);
  }

  /** Whether a sign-in could help: the user has not signed in, and names no credential. */
  #needsSignIn({ headers }: Response): boolean {
    return !this.#hasCredential && bearerChallenge(headers.get("www-authenticate")) !== undefined;
  }
}

/** A response of `fetch`, as the core reads it. */
function upstreamResponse(response: Response): UpstreamResponse {
  return {
    status: response.status,
    contentType: response.headers.get("content-type"),
    session: response.headers.get("mcp-session-id") ?? undefined,
    body: () => bodyOf(response),
    events: () => eventsOf(response),
    discard: async () => await response.body?.cancel(),
  };
}
