/**
 * Finds out how to sign in at an upstream: asks it without a token, reads its
 * metadata and that of its authorization server. Upstreams of 2025-03-26 have no
 * metadata of their own and are their own authorization server.
 *
 * @module
 */

import type * as oauth from "oauth4webapi";
import { at, isObject, jsonOrUndefined, textAt } from "../json/json.ts";
import { type BearerChallenge, bearerChallenge } from "../oauth/challenge.ts";
import {
  coversUpstream,
  resourceMetadataUrls,
  serverMetadataUrls,
  urlFault,
} from "../oauth/metadata_urls.ts";
import { joinScopes } from "../oauth/sign_in.ts";
import type { OauthFetch } from "./oauth_fetch.ts";

/** How to sign in at an upstream. */
export interface Discovered {
  /** The resource that tokens are for. */
  readonly resource: string;
  readonly server: oauth.AuthorizationServer;
  /** The scopes to ask for when the user names none. */
  readonly scope: string | undefined;
}

interface ResourceFacts {
  readonly resource: string;
  readonly issuer: string;
  readonly scopes: string | undefined;
}

/**
 * Finds it out.
 *
 * @param upstream The upstream.
 * @param fetch Requests.
 * @returns How to sign in.
 * @throws {Error} When the upstream or its authorization server does not say, or must not be
 *   believed; the message names which.
 */
export async function discover(upstream: URL, fetch: OauthFetch): Promise<Discovered> {
  const challenge = await challengeOf(upstream, fetch);
  const facts = await resourceFacts(upstream, challenge, fetch);
  const server = await serverOf(facts.issuer, fetch, {
    upstream,
    isOwn: facts.issuer === upstream.origin,
  });
  checkServer(server, upstream);
  return { resource: facts.resource, server, scope: challenge?.scope ?? facts.scopes };
}

/** What the upstream says to a request without a token. */
async function challengeOf(
  upstream: URL,
  fetch: OauthFetch,
): Promise<BearerChallenge | undefined> {
  const response = await fetch(upstream.href, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: '{"jsonrpc":"2.0","id":0,"method":"ping"}',
  });
  return bearerChallenge(response.headers.get("www-authenticate"));
}

async function resourceFacts(
  upstream: URL,
  challenge: BearerChallenge | undefined,
  fetch: OauthFetch,
): Promise<ResourceFacts> {
  const named = challenge?.resourceMetadata;
  const urls = named === undefined
    ? resourceMetadataUrls(upstream).map(({ href }) => href)
    : [named];
  for (const url of urls) {
    const value = await metadataAt(url, fetch);
    if (value === undefined) continue;
    const resource = textAt(value, "resource");
    if (resource === undefined || !coversUpstream(resource, upstream)) {
      throw new Error(
        `Cannot sign in: the metadata at ${url} is about "${resource}", ` +
          `not about ${upstream.href}`,
      );
    }
    const servers = at(value, "authorization_servers");
    const issuer = Array.isArray(servers) ? servers.find((one) => typeof one === "string") : null;
    if (typeof issuer !== "string") {
      throw new Error(`Cannot sign in: the metadata at ${url} names no authorization server`);
    }
    const scopes = at(value, "scopes_supported");
    return {
      resource,
      issuer,
      scopes: Array.isArray(scopes) ? joinScopes(...scopes.map(String)) : undefined,
    };
  }
  if (named !== undefined) throw new Error(`Cannot sign in: no metadata at ${named}`);
  return { resource: canonical(upstream), issuer: upstream.origin, scopes: undefined };
}

function canonical(url: URL): string {
  const plain = new URL(url);
  plain.hash = "";
  return plain.href;
}

/** The metadata at a URL; undefined when there is none. */
async function metadataAt(url: string, fetch: OauthFetch): Promise<unknown> {
  const response = await fetch(url, { headers: { accept: "application/json" } });
  const text = await response.text();
  if (response.status >= 500) {
    throw new Error(`Cannot sign in: ${url} answers with HTTP ${response.status}`);
  }
  if (response.status !== 200) return undefined;
  const value = jsonOrUndefined(text);
  if (!isObject(value)) throw new Error(`Cannot sign in: the metadata at ${url} is no JSON object`);
  return value;
}

async function serverOf(
  issuer: string,
  fetch: OauthFetch,
  { upstream, isOwn }: { readonly upstream: URL; readonly isOwn: boolean },
): Promise<oauth.AuthorizationServer> {
  const fault = urlFault(issuer, upstream);
  if (fault !== undefined) {
    throw new Error(`Cannot sign in at the authorization server "${issuer}": ${fault}`);
  }
  for (const url of serverMetadataUrls(new URL(issuer))) {
    const value = await metadataAt(url.href, fetch);
    if (value === undefined) continue;
    const named = textAt(value, "issuer");
    if (named !== issuer) {
      throw new Error(
        `Cannot sign in: the metadata of "${issuer}" is of another issuer, "${named}"`,
      );
    }
    return value as oauth.AuthorizationServer;
  }
  if (!isOwn) throw new Error(`Cannot sign in: "${issuer}" has no metadata`);
  // 2025-03-26: without metadata the endpoints have fixed places.
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    code_challenge_methods_supported: ["S256"],
  };
}

const ENDPOINTS = [
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "device_authorization_endpoint",
  "revocation_endpoint",
] as const;

/** Refuses endpoints that must not be asked. */
function checkServer(server: oauth.AuthorizationServer, upstream: URL): void {
  for (const name of ENDPOINTS) {
    const url = server[name];
    if (url === undefined) continue;
    const fault = typeof url === "string" ? urlFault(url, upstream) : "it is no text";
    if (fault !== undefined) {
      throw new Error(`Cannot sign in: ${name} of "${server.issuer}" is refused: ${fault}`);
    }
  }
  if (server.token_endpoint === undefined) {
    throw new Error(`Cannot sign in: "${server.issuer}" names no token_endpoint`);
  }
}
