/**
 * One sign-in from beginning to end: discovery, client, grant, store.
 *
 * @module
 */

import type * as oauth from "oauth4webapi";
import { joinScopes, type UpstreamSignIn } from "../oauth/sign_in.ts";
import { redirectServer, signInWithBrowser } from "./browser_sign_in.ts";
import { chooseClient, type GivenClient } from "./client_choice.ts";
import { discover, type Discovered } from "./discovery.ts";
import type { OauthFetch } from "./oauth_fetch.ts";
import { keptTokens, type OauthClient, oauthFault } from "./oauth_requests.ts";
import { type DevicePorts, signInAsClient, signInWithDevice } from "./other_grants.ts";
import type { SignInStore } from "./sign_in_store.ts";

/** How the user signs in. */
export type SignInWay = "browser" | "device" | "client_credentials";

/** What the user asks for. */
export interface SignInRequest {
  readonly way: SignInWay;
  /** The scopes; undefined for those the upstream asks for. */
  readonly scope: string | undefined;
  readonly client: GivenClient | undefined;
  /** The port of the redirect; 0 for any. */
  readonly port: number;
}

/** What a sign-in asks of the world. */
export interface SignInPorts extends Omit<DevicePorts, "fetch"> {
  readonly fetch: OauthFetch;
  readonly store: SignInStore;
  readonly unixMs: () => number;
  /** Shows a URL to the user. */
  readonly open: (url: string) => void;
}

/**
 * Signs in, and keeps the tokens.
 *
 * @param upstream The upstream.
 * @param request What the user asks for.
 * @param ports What it asks of the world.
 * @returns The sign-in.
 * @throws {Error} When it fails; nothing is kept then, and an earlier sign-in stays.
 */
export async function signIn(
  upstream: URL,
  request: SignInRequest,
  ports: SignInPorts,
): Promise<UpstreamSignIn> {
  const { fetch, store } = ports;
  const found = await discover(upstream, fetch);
  store.make();
  const before = store.read();
  const scope = scopeOf(request.scope ?? found.scope, found.server);
  const { client, response } = await grant(found, { ...request, scope, before }, ports);
  const renewal = request.way === "client_credentials" ? "client_credentials" : "refresh";
  const tokens = keptTokens(response, ports.unixMs());
  const made: UpstreamSignIn = {
    version: 1,
    url: upstream.href,
    resource: found.resource,
    issuer: found.server.issuer,
    tokenEndpoint: found.server.token_endpoint ?? "",
    revocationEndpoint: found.server.revocation_endpoint,
    clientId: client.clientId,
    clientSecret: client.clientSecret,
    clientAuth: client.clientAuth,
    registeredRedirect: client.registeredRedirect,
    renewal,
    ...tokens,
    // Without a scope in the answer it is the one that was asked for (RFC 6749 §5.1).
    scope: tokens.scope ?? scope,
    isEnded: false,
  };
  await store.alone(() => Promise.resolve(store.write(made)));
  return made;
}

/** Asks for a refresh token too, where the server has a scope for that. */
function scopeOf(
  scope: string | undefined,
  { scopes_supported: supported }: oauth.AuthorizationServer,
): string | undefined {
  return supported?.includes("offline_access") ? joinScopes(scope, "offline_access") : scope;
}

async function grant(
  found: Discovered,
  { way, scope, client: given, before, port }: SignInRequest & {
    readonly before: UpstreamSignIn | undefined;
  },
  ports: SignInPorts,
): Promise<{ readonly client: OauthClient; readonly response: oauth.TokenEndpointResponse }> {
  const { fetch } = ports;
  const { server, resource } = found;
  const setting = { given, before, fetch };
  if (way === "client_credentials") {
    const client = await chooseClient(server, { ...setting, redirect: undefined });
    try {
      const response = await signInAsClient(server, client, { resource, scope, fetch });
      return { client, response };
    } catch (error) {
      throw new Error(`Cannot sign in: ${oauthFault(error)}`, { cause: error });
    }
  }
  if (way === "device") {
    const client = await chooseClient(server, { ...setting, redirect: undefined });
    return { client, response: await signInWithDevice(found, { client, scope }, ports) };
  }
  const redirect = redirectServer(port === 0 ? portOf(before) : port);
  try {
    const client = await chooseClient(server, { ...setting, redirect: redirect.url });
    const response = await signInWithBrowser(found, { client, redirect, scope }, ports);
    return { client, response };
  } finally {
    await redirect.close();
  }
}

/** The port that the client of an earlier sign-in is registered with, if it is free. */
function portOf(before: UpstreamSignIn | undefined): number {
  const port = Number(/:(\d+)\/callback$/.exec(before?.registeredRedirect ?? "")?.[1] ?? 0);
  if (port === 0) return 0;
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return port;
  } catch {
    return 0;
  }
}
