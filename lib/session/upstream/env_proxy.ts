/**
 * Finds the proxy of the environment that a request to an upstream goes through.
 * The runtime applies it by itself; errors name it.
 *
 * @module
 */

/** A proxy, and the variable that names it. */
export interface EnvProxy {
  /** The variable. */
  readonly variable: string;
  /** Its host and port, without credentials. */
  readonly address: string;
}

/** The variables that may name a proxy, or exempt hosts from it. */
export const PROXY_VARIABLES: readonly string[] = ["HTTP", "HTTPS", "ALL", "NO"].flatMap((kind) => [
  `${kind}_PROXY`,
  `${kind.toLowerCase()}_proxy`,
]);

/**
 * Finds the proxy.
 *
 * @param url The upstream.
 * @param env Reads a variable of the environment.
 * @returns The proxy; undefined without one.
 */
export function envProxy(
  url: string,
  env: (name: string) => string | undefined,
): EnvProxy | undefined {
  const { protocol, hostname } = new URL(url);
  const exempt = (env("NO_PROXY") ?? env("no_proxy") ?? "").split(",").map((host) => host.trim());
  if (exempt.some((host) => isExempt(hostname, host))) return undefined;
  const own = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  for (const variable of [own, own.toLowerCase(), "ALL_PROXY", "all_proxy"]) {
    const value = env(variable)?.trim();
    if (value === undefined || value === "") continue;
    const proxy = value.includes("://") ? value : `http://${value}`;
    return { variable, address: URL.canParse(proxy) ? new URL(proxy).host : "no URL" };
  }
  return undefined;
}

function isExempt(hostname: string, exempt: string): boolean {
  if (exempt === "*" || exempt === hostname) return true;
  const suffix = exempt.replace(/^\*?\.?/, ".");
  return suffix !== "." && hostname.endsWith(suffix);
}
