/**
 * The protocol library with our limits, and its errors in words.
 *
 * @module
 */

import * as oauth from "oauth4webapi";
import type { UpstreamSignIn } from "../oauth/sign_in.ts";
import { reasonOf } from "../text/reason.ts";
import type { OauthFetch } from "./oauth_fetch.ts";

/** A client at an authorization server. */
export type OauthClient = Pick<
  UpstreamSignIn,
  "clientId" | "clientSecret" | "clientAuth" | "registeredRedirect"
>;

/** The options of each request of the library: our fetch decides which URLs are asked. */
export function requestOptions(fetch: OauthFetch): {
  [oauth.customFetch]: OauthFetch;
  [oauth.allowInsecureRequests]: true;
} {
  return { [oauth.customFetch]: fetch, [oauth.allowInsecureRequests]: true };
}

/** How a client proves who it is. */
export function clientAuthOf({ clientAuth, clientSecret }: OauthClient): oauth.ClientAuth {
  if (clientSecret === undefined || clientAuth === "none") return oauth.None();
  return clientAuth === "client_secret_post"
    ? oauth.ClientSecretPost(clientSecret)
    : basic(clientSecret);
}

/**
 * HTTP Basic, encoded as forms are (RFC 6749 §2.3.1). The library's own escapes `-` and `.` too,
 * which servers that do not decode take for other ids.
 */
function basic(secret: string): oauth.ClientAuth {
  const encoded = (text: string) => new URLSearchParams([["", text]]).toString().slice(1);
  return (_server, { client_id: id }, _body, headers) => {
    headers.set("authorization", `Basic ${btoa(`${encoded(id)}:${encoded(secret)}`)}`);
  };
}

/** The library's view of a client. */
export function libraryClient({ clientId }: OauthClient): oauth.Client {
  return { client_id: clientId };
}

/** The code of an error that an authorization server answered with, such as `invalid_grant`. */
export function oauthCode(error: unknown): string | undefined {
  if (error instanceof oauth.ResponseBodyError) return error.error;
  return error instanceof oauth.AuthorizationResponseError ? error.error : undefined;
}

/** An error of the library or of a request, in words, without a token in it. */
export function oauthFault(error: unknown): string {
  if (
    error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError
  ) {
    const { error: code, error_description: more } = error;
    return `the authorization server answers ${code}${more === undefined ? "" : `: ${more}`}`;
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    return `the authorization server answers with HTTP ${error.status}`;
  }
  if (error instanceof oauth.OperationProcessingError) {
    return `the authorization server's answer is refused: ${reasonOf(error)}`;
  }
  return reasonOf(error);
}

/** What an answer of the token endpoint says, as it is kept. */
export function keptTokens(
  response: oauth.TokenEndpointResponse,
  nowUnixMs: number,
): Pick<UpstreamSignIn, "accessToken" | "refreshToken" | "expiresUnixMs" | "scope"> {
  return {
    accessToken: response.access_token,
    refreshToken: response.refresh_token,
    expiresUnixMs: response.expires_in === undefined
      ? undefined
      : nowUnixMs + response.expires_in * 1000,
    scope: response.scope,
  };
}
