/**
 * The machine's network addresses.
 *
 * @module
 */

import type { MachineAddress } from "../session/listen/listen_urls.ts";

/** The addresses of all interfaces; none without the permission to list them. */
export function machineAddresses(): MachineAddress[] {
  try {
    return Deno.networkInterfaces().map(({ address, family }) => ({ address, family }));
  } catch {
    return [];
  }
}
