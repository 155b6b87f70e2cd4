/**
 * Reads what an upstream that refuses a request says about signing in
 * (RFC 6750 §3, RFC 9728 §5.1).
 *
 * @module
 */

/** A `Bearer` challenge of `WWW-Authenticate`. */
export interface BearerChallenge {
  /** `error`, such as `insufficient_scope`. */
  readonly error: string | undefined;
  /** `scope`. */
  readonly scope: string | undefined;
  /** `resource_metadata`. */
  readonly resourceMetadata: string | undefined;
}

const PARAMETER = /([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))/y;
/** The name of a scheme, not of a parameter. */
const SCHEME = /(?:^|,)\s*([A-Za-z][\w-]*)(?=\s+[\w-]+\s*=|\s*,|\s*$)(?!\s*=)/g;

/**
 * Reads a challenge.
 *
 * @param header The value of `WWW-Authenticate`; null when there is none.
 * @returns The first `Bearer` challenge; undefined without one.
 */
export function bearerChallenge(header: string | null): BearerChallenge | undefined {
  if (header === null) return undefined;
  for (const match of header.matchAll(SCHEME)) {
    if (match[1]?.toLowerCase() !== "bearer") continue;
    const parameters = parametersFrom(header, match.index + match[0].length);
    return {
      error: parameters.get("error"),
      scope: parameters.get("scope"),
      resourceMetadata: parameters.get("resource_metadata"),
    };
  }
  return undefined;
}

/** The parameters from a place up to the next scheme. */
function parametersFrom(header: string, start: number): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = start;;) {
    at += /^[\s,]*/.exec(header.slice(at))?.[0].length ?? 0;
    PARAMETER.lastIndex = at;
    const [whole, name = "", quoted, plain = ""] = PARAMETER.exec(header) ?? [];
    if (whole === undefined) return found;
    const value = quoted?.replace(/\\(.)/g, "$1") ?? plain;
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), value);
    at += whole.length;
  }
}
