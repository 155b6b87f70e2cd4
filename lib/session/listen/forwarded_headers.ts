/**
 * Chooses the headers of an exchange that is forwarded between an HTTP host and
 * an HTTP upstream.
 *
 * Dropped are the headers of one connection (RFC 9110 §7.6.1), `Host` and
 * `Origin`, which name the proxy, and the host's credentials, which are for the
 * proxy: the upstream gets what `--upstream-header` says.
 *
 * @module
 */

import type { HeaderList } from "../upstream/link.ts";

/** Headers of one connection. */
const OF_A_CONNECTION = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "trailer",
  "transfer-encoding",
  "upgrade",
];
/** Headers of a request that are not forwarded. */
const NOT_UP = new Set([
  ...OF_A_CONNECTION,
  "proxy-authorization",
  "te",
  "host",
  "origin",
  "authorization",
  "cookie",
  "content-length",
  "accept-encoding",
  "hoist-session",
]);
/** Headers of a response that are not forwarded. */
const NOT_DOWN = new Set([...OF_A_CONNECTION, "proxy-authentication-info"]);
/** Headers of a compressed body, which the runtime has decompressed. */
const OF_COMPRESSION = new Set([...NOT_DOWN, "content-length", "content-encoding"]);

/** The headers of a request that are forwarded, and the user's own after them. */
export function requestHeaders(headers: HeaderList, own: HeaderList): [string, string][] {
  return [
    ...endToEnd(headers, NOT_UP),
    ...own.map(([name, value]): [string, string] => [name, value]),
  ];
}

/** The headers of a response that are forwarded. */
export function responseHeaders(headers: HeaderList): [string, string][] {
  const isCompressed = /^(?:gzip|br)$/i.test(valueOf(headers, "content-encoding"));
  return endToEnd(headers, isCompressed ? OF_COMPRESSION : NOT_DOWN);
}

/** Whether a response has no body. */
export function hasNoBody(status: number, headers: HeaderList): boolean {
  return [204, 205, 304].includes(status) || valueOf(headers, "content-length") === "0";
}

/** Drops these headers, and those that `Connection` names. */
function endToEnd(headers: HeaderList, dropped: ReadonlySet<string>): [string, string][] {
  const named = valueOf(headers, "connection").toLowerCase().split(/[\s,]+/);
  return headers.flatMap(([name, value]): [string, string][] =>
    dropped.has(name) || named.includes(name) ? [] : [[name, value]]
  );
}

function valueOf(headers: HeaderList, wanted: string): string {
  return headers.filter(([name]) => name === wanted).map(([, value]) => value).join(", ");
}
