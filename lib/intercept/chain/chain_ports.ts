/**
 * What a chain stands between.
 *
 * @module
 */

import type { Later } from "./interceptor.ts";

/** Where the lines of a session are recorded. */
export interface ChainLog {
  /** `isJson` tells that the line is known to be one JSON value. */
  client(line: Uint8Array, isJson: boolean): void;
  server(line: Uint8Array, isJson: boolean): void;
  proxy(line: Uint8Array): void;
  context(line: Uint8Array): void;
}

/** What a chain stands between. Lines are without their newline. */
export interface ChainPorts {
  readonly toServer: (line: Uint8Array) => void;
  /** The way of the proxy's own requests. Default: `toServer`. */
  readonly toServerOwn?: (line: Uint8Array) => void;
  /** The number of the next request of the proxy, above the last. Default: a count. */
  readonly nextNumber?: (last: number) => number;
  readonly toHost: (line: Uint8Array) => void;
  /** Takes a notification of the proxy's own to the host; absent where hosts get none. */
  readonly toHostNote?: (line: Uint8Array) => void;
  readonly log: ChainLog | undefined;
  readonly monotonicMs: () => number;
  readonly later: Later;
  readonly say: (line: string) => void;
  /** Closes what the interceptors opened for the session. */
  readonly onEnd?: () => Promise<void>;
}
