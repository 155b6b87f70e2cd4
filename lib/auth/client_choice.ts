/**
 * Chooses the client that signs in: the one the user names, one whose metadata
 * lies at a URL, the one of an earlier sign-in, or a newly registered one.
 *
 * @module
 */

import * as oauth from "oauth4webapi";
import type { UpstreamSignIn } from "../oauth/sign_in.ts";
import { type OauthClient, oauthFault, requestOptions } from "./oauth_requests.ts";
import type { OauthFetch } from "./oauth_fetch.ts";

/** The client the user names. */
export interface GivenClient {
  readonly id: string;
  readonly secret: string | undefined;
}

/** What the choice depends on. */
export interface ClientSetting {
  readonly given: GivenClient | undefined;
  /** The sign-in before this one. */
  readonly before: UpstreamSignIn | undefined;
  /** The redirect URI of this sign-in; undefined where none is needed. */
  readonly redirect: string | undefined;
  readonly fetch: OauthFetch;
}

/**
 * Chooses.
 *
 * @param server The authorization server.
 * @param setting What it depends on.
 * @returns The client.
 * @throws {Error} When there is none; the message says how to name one.
 */
export async function chooseClient(
  server: oauth.AuthorizationServer,
  setting: ClientSetting,
): Promise<OauthClient> {
  const { given, before, redirect } = setting;
  if (given !== undefined) return givenClient(given, server);
  if (
    before?.registeredRedirect !== undefined && before.issuer === server.issuer &&
    (redirect === undefined || before.registeredRedirect === redirect)
  ) return before;
  if (server.registration_endpoint === undefined) {
    throw new Error(
      `Cannot sign in: "${server.issuer}" registers no clients; name one with --oauth-client-id`,
    );
  }
  return await register(server, setting);
}

function givenClient({ id, secret }: GivenClient, server: oauth.AuthorizationServer): OauthClient {
  const isDocument = /^https:\/\/[^/]+\/./.test(id);
  if (isDocument && server["client_id_metadata_document_supported"] !== true) {
    throw new Error(`Cannot sign in: "${server.issuer}" takes no URL as a client id`);
  }
  const taken = server.token_endpoint_auth_methods_supported;
  const isPost = taken !== undefined && !taken.includes("client_secret_basic") &&
    taken.includes("client_secret_post");
  return {
    clientId: id,
    clientSecret: secret,
    clientAuth: secret === undefined
      ? "none"
      : isPost
      ? "client_secret_post"
      : "client_secret_basic",
    registeredRedirect: undefined,
  };
}

async function register(
  server: oauth.AuthorizationServer,
  { redirect, fetch }: ClientSetting,
): Promise<OauthClient> {
  const isDevice = redirect === undefined;
  const grant = isDevice ? "urn:ietf:params:oauth:grant-type:device_code" : "authorization_code";
  try {
    const response = await oauth.dynamicClientRegistrationRequest(server, {
      client_name: "hoist-mcp",
      application_type: "native",
      redirect_uris: isDevice ? [] : [redirect],
      grant_types: [grant, "refresh_token"],
      response_types: isDevice ? [] : ["code"],
      token_endpoint_auth_method: "none",
    }, requestOptions(fetch));
    const client = await oauth.processDynamicClientRegistrationResponse(
      await withExpiry(response),
    );
    const secret = client.client_secret;
    return {
      clientId: client.client_id,
      clientSecret: typeof secret === "string" ? secret : undefined,
      clientAuth: typeof secret !== "string"
        ? "none"
        : client.token_endpoint_auth_method === "client_secret_post"
        ? "client_secret_post"
        : "client_secret_basic",
      registeredRedirect: redirect ?? "",
    };
  } catch (error) {
    throw new Error(`Cannot register as a client of "${server.issuer}": ${oauthFault(error)}`, {
      cause: error,
    });
  }
}

/** Servers leave `client_secret_expires_at` out, though RFC 7591 §3.2.1 asks for it with a secret. */
async function withExpiry(response: Response): Promise<Response> {
  const { status, headers } = response;
  const text = await response.text();
  try {
    const client = JSON.parse(text);
    if (typeof client.client_secret === "string") client.client_secret_expires_at ??= 0;
    return Response.json(client, { status });
  } catch {
    return new Response(text, { status, headers });
  }
}
