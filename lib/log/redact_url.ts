/**
 * Hides credentials in the URL of a session log header: user, password, and the
 * values of query parameters whose names look like credentials.
 *
 * @module
 */

import { redactArgs } from "./redact_args.ts";

const MARK = "<redacted>";
const SECRET_NAME = /key|token|secret|passw|pwd|auth|cred|bearer|cookie|session|sig|code/i;

/**
 * Hides the credentials in a URL.
 *
 * @param url The URL.
 * @returns The URL without user and password, credential-like values hidden.
 */
export function redactUrl(url: string): string {
  const { protocol, host, pathname, search } = new URL(url);
  const query = search.slice(1).split("&").map((pair) => {
    const [name = "", value] = pair.split(/=(.*)/s);
    return value !== undefined && SECRET_NAME.test(decoded(name)) ? `${name}=${MARK}` : pair;
  });
  const shown = `${protocol}//${host}${pathname}${search === "" ? "" : `?${query.join("&")}`}`;
  return redactArgs([shown])[0] ?? shown;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll("+", " "));
  } catch {
    return name;
  }
}
