/**
 * The access token of a session with an upstream: renewed before it ends, once
 * for all processes, and never with a refresh token that another process has
 * used already.
 *
 * @module
 */

import * as oauth from "oauth4webapi";
import { bearerChallenge } from "../oauth/challenge.ts";
import { canRenew, isDue, joinScopes, SignInError, type UpstreamSignIn } from "../oauth/sign_in.ts";
import type { OauthFetch } from "./oauth_fetch.ts";
import {
  clientAuthOf,
  keptTokens,
  libraryClient,
  oauthCode,
  oauthFault,
  requestOptions,
} from "./oauth_requests.ts";
import { signInAsClient } from "./other_grants.ts";
import type { SignInStore } from "./sign_in_store.ts";

/** Ports of a token source. */
export interface TokenPorts {
  readonly store: Pick<SignInStore, "read" | "write" | "alone">;
  readonly fetch: OauthFetch;
  readonly unixMs: () => number;
}

/** Errors after which no refresh with the same token can succeed. */
const FINAL = new Set(["invalid_grant", "invalid_client", "unauthorized_client"]);

/** Gives access tokens. */
export class TokenSource {
  readonly #url: string;
  readonly #ports: TokenPorts;
  #renewing: Promise<UpstreamSignIn> | undefined;
  #lifeMs: number | undefined;

  /** Makes a source for an upstream that somebody has signed in to. */
  constructor(url: string, ports: TokenPorts) {
    this.#url = url;
    this.#ports = ports;
  }

  /**
   * The present access token.
   *
   * @returns The token; it is renewed first if it ends soon.
   * @throws {Error} When there is none any more; the message says how to sign in.
   */
  async token(): Promise<string> {
    const signIn = this.#signIn();
    const { unixMs } = this.#ports;
    if (!isDue(signIn, unixMs(), this.#lifeMs) || !canRenew(signIn)) return signIn.accessToken;
    try {
      return (await this.#renew(signIn.accessToken)).accessToken;
    } catch (error) {
      // It is still good for a moment, and the authorization server may be back by then.
      const left = (signIn.expiresUnixMs ?? 0) - unixMs();
      if (left > 0 && !this.#signIn().isEnded) return signIn.accessToken;
      throw error;
    }
  }

  /**
   * Another token in place of one that the upstream has refused.
   *
   * @param refused The token.
   * @returns The new one.
   * @throws {Error} When there is none; the message says how to sign in.
   */
  async instead(refused: string): Promise<string> {
    const signIn = this.#signIn();
    if (signIn.accessToken !== refused) return signIn.accessToken;
    if (!canRenew(signIn)) throw this.#ended();
    return (await this.#renew(refused)).accessToken;
  }

  /** Why the upstream refuses a request with HTTP 403; undefined when it does not say. */
  missingScope({ headers }: Pick<Response, "headers">): Error | undefined {
    const challenge = bearerChallenge(headers.get("www-authenticate"));
    if (challenge?.error !== "insufficient_scope") return undefined;
    const { scope: held } = this.#signIn();
    const scope = joinScopes(held, challenge.scope);
    return challenge.scope !== undefined && scope === joinScopes(held)
      // To sign in again for the same would lead here again.
      ? new Error(`the upstream asks for rights that the sign-in has already: ${challenge.scope}`)
      : new SignInError("the upstream asks for more rights", this.#url, scope);
  }

  /** One renewal at a time, in this process and in others. */
  #renew(old: string): Promise<UpstreamSignIn> {
    this.#renewing ??= this.#ports.store.alone(async () => {
      const signIn = this.#signIn();
      if (signIn.accessToken !== old) return signIn; // Another process was faster.
      return await this.#ask(signIn);
    }).finally(() => this.#renewing = undefined);
    return this.#renewing;
  }

  async #ask(signIn: UpstreamSignIn): Promise<UpstreamSignIn> {
    const { store, unixMs } = this.#ports;
    if (!canRenew(signIn)) throw this.#ended();
    try {
      const tokens = keptTokens(await this.#grant(signIn), unixMs());
      if (tokens.expiresUnixMs !== undefined) this.#lifeMs = tokens.expiresUnixMs - unixMs();
      const next: UpstreamSignIn = {
        ...signIn,
        ...tokens,
        // A server that does not rotate sends no new one, and one that grants the same no scope.
        refreshToken: tokens.refreshToken ?? signIn.refreshToken,
        scope: tokens.scope ?? signIn.scope,
      };
      store.write(next);
      return next;
    } catch (error) {
      const why = oauthFault(error);
      if (!FINAL.has(oauthCode(error) ?? "")) {
        throw new Error(`the sign-in cannot be renewed: ${why}`, { cause: error });
      }
      store.write({ ...signIn, isEnded: true });
      throw this.#ended(why);
    }
  }

  async #grant(signIn: UpstreamSignIn): Promise<oauth.TokenEndpointResponse> {
    const { fetch } = this.#ports;
    const { issuer, tokenEndpoint, resource, scope, refreshToken = "" } = signIn;
    const server = { issuer, token_endpoint: tokenEndpoint };
    if (signIn.renewal === "client_credentials") {
      return await signInAsClient(server, signIn, { resource, scope, fetch });
    }
    const client = libraryClient(signIn);
    const response = await oauth.refreshTokenGrantRequest(
      server,
      client,
      clientAuthOf(signIn),
      refreshToken,
      { ...requestOptions(fetch), additionalParameters: { resource } },
    );
    return await oauth.processRefreshTokenResponse(server, client, response);
  }

  #signIn(): UpstreamSignIn {
    const signIn = this.#ports.store.read();
    if (signIn === undefined) throw new SignInError("signed out", this.#url);
    return signIn;
  }

  #ended(why?: string): SignInError {
    return new SignInError(
      `the sign-in has ended${why === undefined ? "" : ` (${why})`}`,
      this.#url,
    );
  }
}
