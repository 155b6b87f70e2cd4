/**
 * The user's own headers for an upstream: those of `--upstream-header`, read once
 * from the environment, and the user and password of the URL.
 *
 * @module
 */

import type { UpstreamOptions } from "../proxy_options/http_flags.ts";
import type { Runtime } from "../ports/runtime.ts";

/**
 * Reads the headers.
 *
 * @param upstream Which variables hold them; undefined without an upstream.
 * @param runtime Where the environment is.
 * @returns Names and values, or what is wrong, without any value.
 */
export function upstreamHeaders(
  upstream: UpstreamOptions | undefined,
  runtime: Runtime,
): [string, string][] | string {
  const headers: [string, string][] = [];
  if (upstream?.login !== undefined) headers.push(["authorization", basic(upstream.login)]);
  for (const { name, variable } of upstream?.headers ?? []) {
    const value = runtime.env(variable);
    if (value === undefined) {
      return `--upstream-header ${name}: the variable ${variable} is not set`;
    }
    if (!/^[\x20-\x7e\t]*$/.test(value)) {
      return `--upstream-header ${name}: the value of ${variable} is no header value`;
    }
    headers.push([name, value.trim()]);
  }
  return headers;
}

/** User and password as HTTP sends them (RFC 7617). */
function basic({ user, password }: { readonly user: string; readonly password: string }): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}
