/**
 * Where the metadata of an upstream and of an authorization server lies
 * (RFC 9728 §3, RFC 8414 §3, OpenID Connect Discovery §4), and which URLs may be
 * asked at all.
 *
 * @module
 */

/** Candidates for the protected-resource metadata of an upstream, in order. */
export function resourceMetadataUrls(upstream: URL): URL[] {
  const path = upstream.pathname.replace(/\/$/, "");
  const root = new URL("/.well-known/oauth-protected-resource", upstream.origin);
  if (path === "") return [root];
  return [new URL(`/.well-known/oauth-protected-resource${path}${upstream.search}`, root), root];
}

/** Candidates for the metadata of an authorization server, in order. */
export function serverMetadataUrls(issuer: URL): URL[] {
  const path = issuer.pathname.replace(/\/$/, "");
  const at = (where: string) => new URL(where, issuer.origin);
  return [
    at(`/.well-known/oauth-authorization-server${path}`),
    at(`/.well-known/openid-configuration${path}`),
    ...path === "" ? [] : [at(`${path}/.well-known/openid-configuration`)],
  ];
}

/**
 * Rules on a URL that metadata names: an upstream decides which URLs we ask, and
 * must not reach what only this machine can.
 *
 * @param url The URL.
 * @param upstream The upstream that the user named.
 * @returns Why it is not asked; undefined when it may be.
 */
export function urlFault(url: string, upstream: URL): string | undefined {
  if (!URL.canParse(url)) return "it is no URL";
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== "" || password !== "") return "it holds a user or a password";
  const isOwn = isInternal(upstream.hostname);
  if (protocol === "http:" && !(isLoopback(hostname) && isLoopback(upstream.hostname))) {
    return "it is not https";
  }
  if (protocol !== "https:" && protocol !== "http:") return `its scheme is ${protocol}`;
  if (isInternal(hostname) && !isOwn) return "it names an internal address, the upstream does not";
  return undefined;
}

/**
 * Rules on the resource that protected-resource metadata is about.
 *
 * @param resource Its `resource`.
 * @param upstream The upstream.
 * @returns Whether it is the upstream, or a path above it.
 */
export function coversUpstream(resource: string, upstream: URL): boolean {
  if (!URL.canParse(resource)) return false;
  const { origin, pathname, search } = new URL(resource);
  if (origin !== upstream.origin) return false;
  if (search !== "" && search !== upstream.search) return false;
  const path = pathname.replace(/\/$/, "");
  return upstream.pathname === pathname || upstream.pathname === path ||
    upstream.pathname.startsWith(`${path}/`);
}

/** Whether a host is this machine. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Whether a host is named so that it lies in a network of its own (RFC 1918, 3927, 4193, 6598). */
function isInternal(hostname: string): boolean {
  if (isLoopback(hostname)) return true;
  if (/^\[(?:f[cd]|fe[89ab]|::ffff:|::\])/i.test(hostname)) return true;
  if (/\.(?:local|internal|lan|home\.arpa)$/i.test(hostname)) return true;
  if (!hostname.includes(".") && !hostname.startsWith("[")) return true;
  return /^(?:0|10|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.[\d.]+$/
    .test(hostname);
}
