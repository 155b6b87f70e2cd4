/**
 * What intercepted exchanges ask of the HTTP server around them.
 *
 * @module
 */

import type { HttpLinkOptions } from "../http_client/http_link.ts";
import type { Chains } from "../intercept/kinds/chains.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { LogTap } from "../relay/log_tap.ts";
import type { OpenLog } from "../relay/session_log.ts";

/** What these exchanges go through. */
export interface ExchangePorts {
  readonly chains: Chains;
  readonly runtime: Runtime;
  /** The endpoint, and the user's headers for it. */
  readonly link: HttpLinkOptions;
  /** Sends a host's request on, and shapes what comes for the host; its response or a refusal. */
  readonly forward: (
    request: Request,
    body: Uint8Array | undefined,
    log: LogTap | undefined,
  ) => Promise<Response>;
  /** The log of it is not needed any more. */
  readonly release: (log: LogTap) => void;
  /** The log a request belongs to, kept open until it is released. */
  readonly log: (headers: Headers, isOpening: boolean) => OpenLog | undefined;
}
