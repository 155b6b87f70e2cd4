/**
 * Decides about redirects of an upstream: followed with method and body inside
 * its origin, never to another one, which must not get credentials.
 *
 * @module
 */

import { redactUrl } from "../../log/redact_url.ts";

/** A response that may be a redirect. */
export interface MaybeRedirect {
  /** The request's method. */
  readonly method: string;
  /** The request's URL. */
  readonly url: string;
  /** The response's status. */
  readonly status: number;
  /** The response's `Location`. */
  readonly location: string | null;
  /** How many redirects led here. */
  readonly hops: number;
}

/** The ruling: no redirect, a URL to follow to, or the reason why not. */
export type RedirectRuling =
  | { readonly kind: "none" }
  | { readonly kind: "follow"; readonly url: string }
  | { readonly kind: "refuse"; readonly why: string };

const REDIRECTS = [301, 302, 303, 307, 308];
/** Statuses that keep the method and the body (RFC 9110 §15.4.8). */
const KEEPING = [307, 308];
/** Browsers follow 20; an MCP endpoint needs one, for a slash at its end. */
const MAX_HOPS = 5;

/** Rules on a response. */
export function ruleOnRedirect(response: MaybeRedirect): RedirectRuling {
  const { method, url, status, location, hops } = response;
  if (!REDIRECTS.includes(status) || location === null) return { kind: "none" };
  if (!URL.canParse(location, url)) {
    return { kind: "refuse", why: `the upstream redirects (HTTP ${status}) to what is no URL` };
  }
  const target = new URL(location, url);
  const shown = redactUrl(target.href);
  if (target.origin !== new URL(url).origin) {
    const why = `the upstream redirects (HTTP ${status}) to another origin, "${shown}"; not ` +
      "followed: if that is the server, give its URL to --upstream";
    return { kind: "refuse", why };
  }
  if (!KEEPING.includes(status) && method !== "GET") {
    const why = `the upstream redirects (HTTP ${status}) to "${shown}", which does not keep a ` +
      `${method}; not followed: give that URL to --upstream`;
    return { kind: "refuse", why };
  }
  if (hops >= MAX_HOPS) {
    return { kind: "refuse", why: `the upstream redirects more than ${MAX_HOPS} times` };
  }
  return { kind: "follow", url: target.href };
}
