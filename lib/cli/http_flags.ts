/**
 * The flags of `hoist-mcp` for Streamable HTTP, on either side, and the options
 * they make.
 *
 * @module
 */

import type { Flag, FlagValues } from "./flags.ts";

/** The flags. */
export const HTTP_FLAGS: readonly Flag[] = [
  {
    name: "upstream",
    value: "URL",
    help: "Connect to this Streamable HTTP server instead of starting a command.",
  },
  {
    name: "upstream-header",
    value: "NAME=VAR",
    repeat: true,
    help: "Send header NAME with the value of environment variable VAR to the upstream.",
  },
];

/** A server that is reached over HTTP. */
export interface UpstreamOptions {
  /** Its endpoint. */
  readonly url: string;
  /** Headers, each with the variable that holds its value. */
  readonly headers: readonly { readonly name: string; readonly variable: string }[];
}

/** What the flags ask for; undefined where the standard streams serve. */
export interface HttpOptions {
  /** `--upstream`. */
  readonly upstream: UpstreamOptions | undefined;
}

/** Headers that the transport sets itself. */
const RESERVED =
  /^(?:host|connection|content-.*|transfer-encoding|accept|last-event-id|mcp-.*|te|upgrade|trailer)$/i;

/**
 * Reads the flags.
 *
 * @param values The command line's values.
 * @returns The options, or what is wrong, naming the flag.
 */
export function parseHttpFlags(values: FlagValues): HttpOptions | string {
  const url = values.get("upstream");
  const headers = [];
  for (const given of values.all("upstream-header")) {
    const [, name, variable] = /^([^=\s]+)=(\w+)$/.exec(given) ?? [];
    if (name === undefined || variable === undefined || !/^[!#$%&'*+\-.^`|~\w]+$/.test(name)) {
      return `--upstream-header takes NAME=VAR, the name of a variable, not "${
        given.split("=")[0]
      }=…"`;
    }
    if (RESERVED.test(name)) return `--upstream-header cannot set ${name}: the transport does`;
    headers.push({ name, variable });
  }
  if (url === undefined) {
    return headers.length > 0 ? "--upstream-header needs --upstream" : { upstream: undefined };
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    return "--upstream takes an http: or https: URL";
  }
  if (parsed.username !== "" || parsed.password !== "") {
    return "--upstream takes a URL without user and password; use --upstream-header " +
      "Authorization=VAR, which is not in the process list";
  }
  return { upstream: { url, headers } };
}

/** The host and port a URL connects to, as permissions name them. */
export function netOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port === "" ? (protocol === "https:" ? "443" : "80") : port}`;
}
