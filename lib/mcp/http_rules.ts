/**
 * Who may speak to a listening proxy, and in which form: headers in, ruling out.
 *
 * Without a token only this machine may, and only by the name it listens on:
 * the `Host` header must name the address and port, and a page of another site,
 * which its `Origin` gives away, is refused. That keeps DNS rebinding out.
 * With a token the token decides.
 *
 * @module
 */

import { LEGACY_VERSIONS } from "./era.ts";

/** Reads a header; undefined when the request does not have it. */
export type HeaderReader = (name: string) => string | undefined;

/** A request that is refused. */
export interface HttpRefusal {
  /** The HTTP status. */
  readonly status: number;
  /** JSON-RPC code of the body. */
  readonly code: number;
  /** Why, for the body. */
  readonly message: string;
  /** More, for the host's program. */
  readonly data?: unknown;
}

/** Who is let in. */
export type Admission =
  | { readonly kind: "loopback"; readonly names: readonly string[] }
  | { readonly kind: "token"; readonly token: string };

/**
 * Lets this machine in, by the listener's own names.
 *
 * @param hostnames The address that was asked for, and the one it stands for.
 * @param port The port.
 * @returns Who is let in.
 */
export function loopback(hostnames: readonly string[], port: number): Admission {
  const bare = [...hostnames, "localhost"].map((name) =>
    name.includes(":") ? `[${name}]` : name.toLowerCase()
  );
  const names = bare.flatMap((name) => port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]);
  return { kind: "loopback", names };
}

/**
 * Rules on a request before its body is read.
 *
 * @param header Its headers.
 * @param admission Who is let in.
 * @returns Why it is refused, or undefined.
 */
export function admit(header: HeaderReader, admission: Admission): HttpRefusal | undefined {
  if (admission.kind === "token") {
    const given = /^Bearer +(\S+) *$/i.exec(header("authorization") ?? "")?.[1] ?? "";
    if (isSameSecret(given, admission.token)) return undefined;
    return { status: 401, code: -32000, message: "Unauthorized: a bearer token is needed" };
  }
  const { names } = admission;
  const host = header("host");
  if (host === undefined || !names.includes(host.toLowerCase())) {
    return forbidden(`the Host header names "${host ?? ""}", not ${names[0] ?? ""}`);
  }
  const origin = header("origin");
  if (origin !== undefined && !names.some((name) => origin.toLowerCase() === `http://${name}`)) {
    return forbidden(`the Origin is another site, "${origin}"`);
  }
  return undefined;
}

/** The refusal of a request that only a token would let in. */
function forbidden(why: string): HttpRefusal {
  const message = `Forbidden: ${why.slice(0, MAX_WHY)}; with --listen-token-file FILE hosts may ` +
    "use any name, and send the token";
  return { status: 403, code: -32000, message };
}

/** A header of the request is not repeated at greater length. */
const MAX_WHY = 200;

/** Compares in a time that depends on the lengths alone. */
function isSameSecret(given: string, wanted: string): boolean {
  let differs = given.length ^ wanted.length;
  for (let i = 0; i < wanted.length; i++) {
    differs |= (given.charCodeAt(i % Math.max(1, given.length)) || 0) ^ wanted.charCodeAt(i);
  }
  return differs === 0;
}

/** What a host takes as an answer. */
export interface Accepts {
  /** One JSON body. */
  readonly json: boolean;
  /** An event stream. */
  readonly events: boolean;
}

/** Reads an `Accept` header; a host that says nothing takes anything. */
export function accepts(header: string | undefined): Accepts {
  const types = (header ?? "*/*").toLowerCase().split(",").map((part) =>
    part.split(";")[0]?.trim()
  );
  const any = types.includes("*/*");
  return {
    json: any || types.includes("application/json") || types.includes("application/*"),
    events: any || types.includes("text/event-stream") || types.includes("text/*"),
  };
}

/** Whether a body is said to be JSON. A page cannot say so without asking first. */
export function isJsonType(contentType: string | undefined): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType ?? "");
}

/**
 * Rules on the version header of a legacy session's request.
 *
 * @param version The header.
 * @param negotiated The version the session agreed on, if it is known.
 * @returns Why it is refused, or undefined.
 */
export function versionFault(
  version: string | undefined,
  negotiated: string | undefined,
): HttpRefusal | undefined {
  if (version === undefined || version === negotiated || LEGACY_VERSIONS.includes(version)) {
    return undefined;
  }
  return {
    status: 400,
    code: -32000,
    message: `Bad Request: unsupported MCP-Protocol-Version "${version}" (supported: ${
      LEGACY_VERSIONS.join(", ")
    })`,
  };
}

/** The HTTP status that a JSON-RPC error of a modern server is sent with. */
export function statusOfError(code: number): number {
  switch (code) {
    case -32601:
      return 404;
    case -32700:
    case -32600:
    case -32020:
    case -32021:
    case -32022:
      return 400;
    default:
      return 200;
  }
}
