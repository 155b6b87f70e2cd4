/**
 * The values of `--upstream-header`, read once from the environment.
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
