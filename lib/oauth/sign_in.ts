/**
 * A sign-in at one upstream, as it is kept between sessions.
 *
 * @module
 */

import { redactUrl } from "../log/redact_url.ts";
import { at, isObject, jsonOrUndefined, textAt } from "../json/json.ts";

/** How a new access token is got. */
export type Renewal = "refresh" | "client_credentials";

/** A sign-in. */
export interface UpstreamSignIn {
  readonly version: 1;
  /** The upstream. */
  readonly url: string;
  /** The resource the tokens are for (RFC 8707). */
  readonly resource: string;
  /** The authorization server. */
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint: string | undefined;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  /** How the client proves who it is at the token endpoint. */
  readonly clientAuth: "none" | "client_secret_basic" | "client_secret_post";
  /** The redirect URI the client was registered with; undefined where it was not registered. */
  readonly registeredRedirect: string | undefined;
  /** The scopes granted; undefined when the server did not say. */
  readonly scope: string | undefined;
  readonly renewal: Renewal;
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** When the access token ends, in Unix milliseconds; undefined when unknown. */
  readonly expiresUnixMs: number | undefined;
  /** The authorization server has refused to renew: a new sign-in is needed. */
  readonly isEnded: boolean;
}

/** A token is renewed this long before its end, or after nine tenths of its life. */
const MARGIN_MS = 30_000;

/**
 * Reads a kept sign-in.
 *
 * @param text The file's text.
 * @param url The upstream it should be of.
 * @returns The sign-in; undefined when the text is none, or of another upstream.
 */
export function parseSignIn(text: string, url: string): UpstreamSignIn | undefined {
  const value = jsonOrUndefined(text);
  if (!isObject(value) || value["version"] !== 1 || value["url"] !== url) return undefined;
  const clientAuth = textAt(value, "clientAuth");
  const needed = ["resource", "issuer", "tokenEndpoint", "clientId", "accessToken"] as const;
  const [resource, issuer, tokenEndpoint, clientId, accessToken] = needed
    .map((key) => textAt(value, key));
  if (
    resource === undefined || issuer === undefined || tokenEndpoint === undefined ||
    clientId === undefined || accessToken === undefined || !URL.canParse(tokenEndpoint)
  ) return undefined;
  const expires = at(value, "expiresUnixMs");
  return {
    version: 1,
    url,
    resource,
    issuer,
    tokenEndpoint,
    revocationEndpoint: textAt(value, "revocationEndpoint"),
    clientId,
    clientSecret: textAt(value, "clientSecret"),
    clientAuth: clientAuth === "client_secret_basic" || clientAuth === "client_secret_post"
      ? clientAuth
      : "none",
    registeredRedirect: textAt(value, "registeredRedirect"),
    scope: textAt(value, "scope"),
    renewal: textAt(value, "renewal") === "client_credentials" ? "client_credentials" : "refresh",
    accessToken,
    refreshToken: textAt(value, "refreshToken"),
    expiresUnixMs: typeof expires === "number" ? expires : undefined,
    isEnded: at(value, "isEnded") === true,
  };
}

/**
 * Whether an access token should be renewed before it is used.
 *
 * @param signIn The sign-in.
 * @param nowUnixMs The time.
 * @param lifeMs How long its tokens live; undefined when unknown.
 * @returns Whether it ends soon.
 */
export function isDue(
  { expiresUnixMs }: Pick<UpstreamSignIn, "expiresUnixMs">,
  nowUnixMs: number,
  lifeMs: number | undefined,
): boolean {
  if (expiresUnixMs === undefined) return false;
  const margin = Math.min(MARGIN_MS, (lifeMs ?? MARGIN_MS * 10) / 10);
  return expiresUnixMs - nowUnixMs <= margin;
}

/** Whether a sign-in can get another access token by itself. */
export function canRenew({ renewal, refreshToken, isEnded }: UpstreamSignIn): boolean {
  return !isEnded && (renewal === "client_credentials" || refreshToken !== undefined);
}

/** Joins scopes, each once. */
export function joinScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const all = new Set(scopes.flatMap((scope) => scope?.split(/\s+/) ?? []).filter((s) => s !== ""));
  return all.size === 0 ? undefined : [...all].join(" ");
}

/**
 * The name of an upstream's folder of sign-ins: readable, and another one for another URL. A long
 * one is cut; the file in it names its URL.
 */
export function signInFolderName(url: string): string {
  const { protocol, host, pathname, search } = new URL(url);
  const whole = `${protocol === "http:" ? "http_" : ""}${host}${pathname}${search}`;
  return whole.replace(/[^\w.-]/g, (c) => `%${c.codePointAt(0)?.toString(16)}`).slice(0, 200);
}

/** Finds the folder of an upstream's sign-in. */
export function signInFolder(home: string, url: string): string {
  return `${home}/.hoist/auth/${signInFolderName(url)}`;
}

/** What the user types to sign in. */
export function loginLine(url: string, scope?: string): string {
  const more = scope === undefined ? "" : ` --scope '${scope.replaceAll("'", "")}'`;
  return `hoist auth login ${redactUrl(url)}${more}`;
}

/** Only another sign-in of the user helps; the message ends with how to make it. */
export class SignInError extends Error {
  override readonly name = "SignInError";

  /** Says why, then what to run. */
  constructor(why: string, url: string, scope?: string) {
    super(`${why}; run: ${loginLine(url, scope)}`);
  }
}
