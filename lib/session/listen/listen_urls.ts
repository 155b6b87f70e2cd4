/**
 * The URLs of a listener: for an address that stands for all of the machine's,
 * those that another machine can use.
 *
 * @module
 */

/** An address of the machine. */
export interface MachineAddress {
  /** The address. */
  readonly address: string;
  /** Its family. */
  readonly family: "IPv4" | "IPv6";
}

/** Whether an address to listen on stands for all addresses of the machine. */
export function isWildcard(hostname: string): boolean {
  return hostname === "0.0.0.0" || hostname === "::";
}

/**
 * The endpoint's URLs.
 *
 * @param listen The address that is listened on.
 * @param path The endpoint's path.
 * @param machine The machine's addresses, as far as they are known.
 * @returns One URL or more.
 */
export function listenUrls(
  { hostname, port }: { readonly hostname: string; readonly port: number },
  path: string,
  machine: readonly MachineAddress[],
): string[] {
  const hosts = isWildcard(hostname)
    ? machine.filter(({ address, family }) =>
      (family === "IPv4" || hostname === "::") && isReachable(address)
    ).map(({ address }) => address)
    : [];
  return (hosts.length > 0 ? hosts : [hostname]).map((host) =>
    `http://${host.includes(":") ? `[${host}]` : host}:${port}${path}`
  );
}

/** Whether other machines may reach an address: not loopback, not link-local. */
function isReachable(address: string): boolean {
  return !/^(?:127\.|169\.254\.|::1$|fe[89ab])/i.test(address);
}
