/**
 * The flags of `hoist-mcp` for Streamable HTTP, on either side, and the options
 * they make.
 *
 * @module
 */

import { expandHome } from "../flags/expand_home.ts";
import type { Flag, FlagValues } from "../flags/flags.ts";
import { signInFolder } from "../oauth/sign_in.ts";

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
  {
    name: "upstream-cert",
    value: "FILE",
    help: "Show the upstream the client certificate in this PEM file.",
  },
  {
    name: "upstream-key",
    value: "FILE",
    help: "The key of --upstream-cert, as PEM. Default: it is in the certificate's file.",
  },
  {
    name: "upstream-transport",
    value: "KIND",
    help:
      "The upstream's transport: http (Streamable HTTP), sse (HTTP+SSE of 2024-11-05), or auto: " +
      "sse where initialize is refused as old servers do. Default: auto.",
  },
  {
    name: "listen",
    value: "ADDR",
    help: "Serve hosts over Streamable HTTP at http://ADDR/mcp instead of stdio, each session " +
      "with a server of its own. ADDR is HOST:PORT, such as 127.0.0.1:8931. The URL goes to " +
      "stdout.",
  },
  {
    name: "listen-token-file",
    value: "FILE",
    help: "Every request needs the token in this file as 'Authorization: Bearer TOKEN'; then any " +
      "address may be listened on. Without it only loopback addresses.",
  },
  {
    name: "listen-idle",
    value: "MINUTES",
    help: "End a session that had no request and no open stream for so long. Default: 240.",
  },
];

/** The flags of a client certificate. */
export const CERTIFICATE_FLAGS: readonly Flag[] = HTTP_FLAGS.filter(({ name }) =>
  name === "upstream-cert" || name === "upstream-key"
);

/** The flags for an upstream, of programs that speak Streamable HTTP alone. */
export const CLIENT_FLAGS: readonly Flag[] = HTTP_FLAGS.filter(({ name }) =>
  name.startsWith("upstream") && name !== "upstream-transport"
);

/** How to serve hosts over HTTP. */
export interface ListenOptions {
  /** The address. */
  readonly hostname: string;
  /** The port; 0 for any that is free. */
  readonly port: number;
  /** `--listen-token-file`. */
  readonly tokenFile: string | undefined;
  /** `--listen-idle` in milliseconds. */
  readonly idleMs: number;
}

/** Where a client certificate is. */
export interface ClientCertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** The transports of an upstream. */
export type UpstreamTransport = "auto" | "http" | "sse";

/** An upstream server over HTTP. */
export interface UpstreamOptions {
  /**
   * Its transport; `auto` finds it out.
   *
   * @default {"auto"}
   */
  readonly transport?: UpstreamTransport;
  /** Its endpoint. */
  readonly url: string;
  /** User and password of the URL, which stand in it no more. */
  readonly login?: { readonly user: string; readonly password: string };
  /** Headers, each with the variable that holds its value. */
  readonly headers: readonly { readonly name: string; readonly variable: string }[];
  /** Files of the client certificate that the upstream is shown, and of its key. */
  readonly certificate?: ClientCertificateFiles | undefined;
  /** The folder of the user's sign-in there; undefined where headers take its place. */
  readonly signInFolder?: string | undefined;
  /** Files of certificates that the environment names; unknown before it was asked. */
  readonly certificateFiles?: readonly string[];
  /** The token endpoint of the sign-in; undefined when the user has not signed in. */
  readonly tokenUrl?: string;
}

/** The HTTP options; undefined where stdio is used. */
export interface HttpOptions {
  /** `--upstream`. */
  readonly upstream: UpstreamOptions | undefined;
  /** `--listen`. */
  readonly listen: ListenOptions | undefined;
}

/** Headers that the transport sets itself. */
const RESERVED =
  /^(?:host|connection|content-.*|transfer-encoding|accept|last-event-id|mcp-.*|te|upgrade|trailer)$/i;

/**
 * Reads the flags.
 *
 * @param values The command line's values.
 * @param home The home directory, for a leading `~`; undefined when unknown.
 * @returns The options, or a fault that names the flag.
 */
export function parseHttpFlags(
  values: FlagValues,
  home: string | undefined,
): HttpOptions | string {
  const upstream = parseUpstream(values, home);
  if (typeof upstream === "string") return upstream;
  const listen = parseListen(values, home);
  if (typeof listen === "string") return listen;
  return { upstream, listen };
}

function parseUpstream(
  values: FlagValues,
  home: string | undefined,
): UpstreamOptions | string | undefined {
  const url = values.get("upstream");
  const headers = [];
  for (const given of values.all("upstream-header")) {
    const [, name, variable] = /^([^=\s]+)=(\w+)$/.exec(given) ?? [];
    if (name === undefined || variable === undefined || !/^[!#$%&'*+\-.^`|~\w]+$/.test(name)) {
      return `--upstream-header takes NAME=VAR, VAR the name of a variable, not "${
        given.split("=")[0]
      }=…"`;
    }
    if (RESERVED.test(name)) return `--upstream-header cannot set ${name}: the transport does`;
    headers.push({ name, variable });
  }
  const transport = values.get("upstream-transport") ?? "auto";
  if (url === undefined) {
    const stray = HTTP_FLAGS.find(({ name }) => name.startsWith("upstream-") && values.has(name));
    return stray === undefined ? undefined : `--${stray.name} needs --upstream`;
  }
  if (transport !== "auto" && transport !== "http" && transport !== "sse") {
    return `--upstream-transport takes auto, http or sse, not "${transport}"`;
  }
  const certificate = parseCertificate(values, home);
  if (typeof certificate === "string") return certificate;
  if (transport === "sse" && values.has("listen")) {
    return "--upstream-transport sse excludes --listen; run: " +
      "hoist-mcp --listen ADDR -- hoist-mcp --upstream URL";
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    return "--upstream takes an http: or https: URL";
  }
  if (parsed.username !== "" || parsed.password !== "") {
    if (headers.some(({ name }) => name.toLowerCase() === "authorization")) {
      return "--upstream-header Authorization and a URL with user and password exclude each other";
    }
    const login = { user: decoded(parsed.username), password: decoded(parsed.password) };
    parsed.username = parsed.password = "";
    return { url: parsed.href, transport, certificate, login, headers };
  }
  const hasOwn = headers.some(({ name }) => name.toLowerCase() === "authorization");
  return {
    url,
    transport,
    certificate,
    headers,
    signInFolder: hasOwn || home === undefined ? undefined : signInFolder(home, url),
  };
}

/**
 * Reads {@linkcode CERTIFICATE_FLAGS}.
 *
 * @param values The command line's values.
 * @param home The home directory, for a leading `~`; undefined when unknown.
 * @returns The files, undefined without them, or a fault that names the flag.
 */
export function parseCertificate(
  values: FlagValues,
  home: string | undefined,
): ClientCertificateFiles | string | undefined {
  const cert = values.get("upstream-cert");
  if (cert === undefined) {
    return values.has("upstream-key") ? "--upstream-key needs --upstream-cert" : undefined;
  }
  const files = { cert, key: values.get("upstream-key") ?? cert };
  const [certPath, keyPath] = [files.cert, files.key].map((file) => expandHome(file, home));
  if (typeof certPath !== "string" || typeof keyPath !== "string") {
    return "--upstream-cert begins with ~, but HOME is not set";
  }
  return { cert: certPath, key: keyPath };
}

/** A part of a URL without its escapes; as it is where they are none. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function parseListen(
  values: FlagValues,
  home: string | undefined,
): ListenOptions | string | undefined {
  const address = values.get("listen");
  if (address === undefined) {
    const stray = ["listen-token-file", "listen-idle"].find((name) => values.has(name));
    return stray === undefined ? undefined : `--${stray} needs --listen`;
  }
  const [, ipv6, plain, digits] = /^(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(address) ?? [];
  const hostname = ipv6 ?? plain;
  const port = Number(digits);
  if (hostname === undefined || !(port <= 65_535)) {
    return `--listen takes HOST:PORT, such as 127.0.0.1:8931, not "${address}"`;
  }
  const minutes = values.get("listen-idle") ?? "240";
  if (!/^\d{1,6}(\.\d+)?$/.test(minutes) || Number(minutes) <= 0) {
    return `--listen-idle takes minutes, more than 0, not "${minutes}"`;
  }
  const file = values.get("listen-token-file");
  if (file === undefined && !isLoopback(hostname)) {
    return `--listen ${address} is not a loopback address: it needs --listen-token-file`;
  }
  const tokenFile = file === undefined ? undefined : expandHome(file, home);
  if (tokenFile === null) {
    return `--listen-token-file "${file}" begins with ~, but HOME is not set`;
  }
  return { hostname, port, tokenFile, idleMs: Number(minutes) * 60_000 };
}

/** Whether an address is loopback. */
function isLoopback(hostname: string): boolean {
  return hostname.toLowerCase() === "localhost" || hostname === "::1" ||
    /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** The host and port a URL connects to, as permissions name them. */
export function netOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port === "" ? (protocol === "https:" ? "443" : "80") : port}`;
}

/** An address to listen on, as permissions name it. */
export function netOfAddress({ hostname, port }: Pick<ListenOptions, "hostname" | "port">): string {
  return `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}
